import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { connectTcp } from '@fuman/node';
import { IntermediatePacketCodec, type ITelegramStorageProvider, networkMiddlewares, type tl } from '@mtcute/core';
import { BaseTelegramClient } from '@mtcute/core/client.js';
import { addPublicKey, type DcOptions, type ICryptoProvider } from '@mtcute/core/utils.js';
import type { Log } from '../../lib/log.ts';
import { rejected } from '../outcome-error.ts';
import { SENT_BEFORE } from './failures.ts';
import { createCrypto, createPlatform } from './platform.ts';
import type { TelegramSettings } from './settings.ts';

/** Longer waits end the request; it is made again later. */
const LONGEST_WAIT_MS = 15 * 60_000;
const CONNECTING_MS = 30_000;
/** How often a request is repeated, after a second each, when Telegram reports an error of its own. */
const RETRIES = 5;
/** How often the server may close a connection before it has answered: it does so once for a key that it does not know. */
const EARLY_ENDS = 3;
/** The data center that an own server poses as. */
const OWN_DC = 2;

interface ClientParts {
  settings: TelegramSettings;
  storage: ITelegramStorageProvider;
  log: Log;
  /** Aborted by the caller to end it. */
  signal: AbortSignal;
  /** Requests that take updates into account; off while signing in. */
  updates?: { onChannelTooLong(channel: number): void; onTooLong(): void };
  /** Telegram asks to wait. */
  onFlood?(seconds: number): void;
}

export type Call = BaseTelegramClient['call'];

export interface TelegramClient {
  api: BaseTelegramClient;
  /** Like that of the library, but also fails when the connection is lost. */
  call: Call;
  /** From now on, the first lost connection is the end. */
  isUsed(): void;
  /** Rejects when the connection is lost, or the signal is aborted. */
  lost: Promise<never>;
  close(): Promise<void>;
}

/** A connection to Telegram. The engine, not the library, connects again after a connection was lost. */
export async function createClient({ settings, storage, log, signal, updates, onFlood }: ClientParts) {
  const crypto = createCrypto();
  await crypto.initialize?.();
  const dcs = await ownServer(settings, crypto);
  const { promise: lost, reject } = Promise.withResolvers<never>();
  lost.catch(() => {});
  let earlyEnds = EARLY_ENDS;
  let failure: unknown;
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();

  const api = new BaseTelegramClient({
    apiId: settings.api_id,
    apiHash: settings.api_hash,
    storage,
    crypto,
    platform: createPlatform(log),
    storageOptions: { cleanup: false },
    ...(dcs ? { defaultDcs: dcs, testMode: true } : {}),
    transport: {
      async connect({ ipAddress, port }) {
        try {
          const connection = await connectTcp({ address: ipAddress, port });
          connection.setNoDelay(true);
          connection.setKeepAlive(true);
          return connection;
        } catch (error) {
          failure = error;
          throw error;
        }
      },
      packetCodec: () => new IntermediatePacketCodec(),
    },
    reconnectionStrategy() {
      earlyEnds -= 1;
      if (failure === undefined && earlyEnds > 0) return 0;
      reject(failure ?? new Error('the connection was closed'));
      return false;
    },
    network: {
      // It is a connection of the engine: growing delays are its task.
      floodControl: false,
      middlewares: [
        observed(updates, reject),
        ...networkMiddlewares.basic({
          internalErrors: { maxRetries: RETRIES, exceptErrors: [SENT_BEFORE] },
          floodWaiter: { maxWait: LONGEST_WAIT_MS, onBeforeWait: (_, seconds) => onFlood?.(seconds) },
        }),
      ],
    },
    updates: updates
      ? { disableNoDispatch: true, onChannelTooLong: (channel) => updates.onChannelTooLong(channel) }
      : false,
  });
  api.onError.add((err) => log.debug({ err }, 'the Telegram library reports an error'));

  return {
    api,
    call: ((message, options) => Promise.race([api.call(message, options), lost])) as Call,
    isUsed() {
      earlyEnds = 0;
    },
    lost,
    async close() {
      signal.removeEventListener('abort', onAbort);
      reject(new Error('the connection was closed'));
      // The library rejects later requests of its own twice, once where no one can handle it.
      api.call = async () => {
        throw new Error('the connection was closed');
      };
      await api.destroy();
      // A request or an answer of just before starts timers of the library again, which would keep the process running.
      await nextTurn();
      await Promise.all([api.mt.network.destroy(), api.storage.close()]);
    },
  } satisfies TelegramClient;
}

/** Connects, within a time limit. */
export async function connect({ api, lost }: TelegramClient): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timeout = setTimeout(() => {
    reject(Object.assign(new Error('Telegram did not answer in time'), { code: 'ETIMEDOUT' }));
  }, CONNECTING_MS);
  try {
    await Promise.race([api.connect(), lost, late]);
  } finally {
    clearTimeout(timeout);
  }
}

/**
 * The library only logs that the updates since the last connection are too many, or could not be fetched; either must not
 * be mistaken for "there are none".
 */
function observed(updates: ClientParts['updates'], fail: (error: unknown) => void) {
  return async (context: { request: tl.RpcMethod }, next: (context: never) => Promise<unknown>): Promise<unknown> => {
    const answer = (await next(context as never)) as { _?: string; errorMessage?: string };
    if (updates && context.request._ === 'updates.getDifference') {
      if (answer._ === 'updates.differenceTooLong') updates.onTooLong();
      if (answer._ === 'mt_rpc_error') fail(new Error(`updates.getDifference: ${answer.errorMessage}`));
    }
    return answer;
  };
}

async function ownServer(
  { server, server_key: keyFile }: TelegramSettings,
  crypto: ICryptoProvider,
): Promise<DcOptions | undefined> {
  if (server === undefined) return undefined;
  if (keyFile === undefined) throw rejected('The setting `server` requires `server_key`.');
  const pem = await readFile(keyFile, 'utf8').catch((cause: unknown) => {
    throw rejected('The file of `server_key` cannot be read.', { cause });
  });
  try {
    addPublicKey(crypto, pem);
  } catch (cause) {
    throw rejected('The file of `server_key` is not a public RSA key in PEM.', { cause });
  }
  const colon = server.lastIndexOf(':');
  const dc = {
    id: OWN_DC,
    ipAddress: server.slice(0, colon),
    port: Number(server.slice(colon + 1)),
    testMode: true,
  };
  return { main: dc, media: dc };
}

import { join } from 'node:path';
import type { LoginHost } from '../connector.ts';
import type { Daemon, Listener } from './daemon.ts';
import { startProgram } from './program.ts';
import { createRpc } from './rpc.ts';
import type { SignalSettings } from './settings.ts';
import { openSpool } from './spool.ts';

export interface SpoolLimits {
  /** The file of the output is replaced when it is larger. */
  maxBytes: number;
}

const LIMITS: SpoolLimits = { maxBytes: 64 * 1024 * 1024 };
const SIGN_OFF_MS = 1_500;
/** What is not stored by then is read by the next process. */
const STORE_MS = 500;

/** The file of the output has grown too large: signal-cli is started again with another one. */
export class SpoolIsFull extends Error {
  override readonly name = 'SpoolIsFull';
}

type Needs = Pick<LoginHost, 'source' | 'memory' | 'log'>;

/** Starts signal-cli. Its output goes to a file, which this process reads. */
export async function startDaemon(
  settings: SignalSettings,
  { source, memory, log }: Needs,
  listener: Listener,
  { maxBytes }: SpoolLimits = LIMITS,
): Promise<Daemon> {
  const ended = Promise.withResolvers<Error>();
  const spool = await openSpool(join(settings.folder, source), memory, take);
  const output = spool.descriptor();
  const program = await startProgram(settings, output).finally(() => spool.close(output));
  const rpc = createRpc(program.write, listener);
  const reader = spool.follow();
  let subscription: unknown;
  void program.ended.then((error) => {
    rpc.fail(error);
    ended.resolve(error);
  });

  function take(line: string, stored: () => void): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch (err) {
      log.warn({ err }, 'a line of signal-cli cannot be read');
      return stored();
    }
    rpc.take(message, stored);
    if (reader?.size() > maxBytes) ended.resolve(new SpoolIsFull('the file of received messages is full'));
  }

  return {
    call: rpc.call,
    async subscribe(account) {
      await spool.readFormer();
      subscription = await rpc.call('subscribeReceive', account === undefined ? {} : { account });
    },
    hold: reader.hold,
    ended: ended.promise,
    async close() {
      if (subscription !== undefined) {
        await rpc.call('unsubscribeReceive', { subscription }, { timeoutMs: SIGN_OFF_MS }).catch(() => {});
      }
      await program.stop();
      await reader.end();
      const isStored = await reader.stored(STORE_MS);
      await spool.saved();
      if (isStored) await spool.discard();
    },
  };
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { connectionFailureIn } from '../connection-failure.ts';
import type { Login, LoginHost, LogoutEnd } from '../connector.ts';
import { OutcomeError } from '../outcome-error.ts';
import { findAccount, LINKED, LINKED_BY_US, UNFOUND } from './account.ts';
import { CODE, type Daemon, RpcError } from './daemon.ts';
import { SETTING_NAMES } from './names-of-settings.ts';
import { openDaemon } from './open-daemon.ts';
import { readLink, readLinked } from './schema.ts';
import type { SignalSettings } from './settings.ts';

/** Signal's server waits about so long for a scan. */
const SCAN_MS = 90_000;
const LINK_MS = 180_000;
const MAX_CODES = 5;
const DEVICE = 'Switchboard';
const NOTHING_TO_RECEIVE = { received: () => {}, late: () => {} };

/** Links this machine to the account of a phone by a QR code, unless signal-cli has the account already. */
export async function* login(settings: SignalSettings, host: LoginHost): Login {
  const source = `${host.source}.login`;
  let daemon: Daemon | undefined;
  try {
    daemon = await openDaemon(settings, { ...host, source, memory: FORGETFUL }, NOTHING_TO_RECEIVE, host.signal);
    const found = await orEnd(daemon, findAccount(daemon, settings, host.memory));
    if (found.kind === 'found') return { kind: 'done' };
    if (found.kind !== 'none') return { kind: 'failed', reason: UNFOUND[found.kind] };
    return yield* link(daemon, settings, host);
  } catch (cause) {
    return { kind: 'failed', reason: reasonOf(cause), cause };
  } finally {
    await daemon?.close();
    if (settings.endpoint === undefined) await rm(join(settings.folder, source), { recursive: true, force: true });
  }
}

async function* link(daemon: Daemon, { account }: SignalSettings, { clock, memory, signal }: LoginHost): Login {
  for (let codes = 0; codes < MAX_CODES; codes += 1) {
    const data = readLink(await orEnd(daemon, daemon.call('startLink', {}, { signal })));
    if (data === undefined) return { kind: 'failed', reason: 'signal-cli gave no code to scan.' };
    yield { kind: 'show-qr', data, expiresAt: clock.now() + SCAN_MS };
    const number = await scanned(daemon, data, signal);
    if (number === undefined) continue;
    await memory.set(LINKED_BY_US, number);
    if (account === undefined) await memory.set(LINKED, number);
    else if (account !== number) {
      return { kind: 'failed', reason: 'The code was scanned by another account than that of the settings.' };
    }
    return { kind: 'done' };
  }
  return { kind: 'failed', reason: 'No code was scanned in time.' };
}

/** Only the phone can unlink a device. An account that signal-cli had before is not ours to end. */
export async function logout(_settings: SignalSettings, { memory }: LoginHost): Promise<LogoutEnd> {
  if (!(await memory.get(LINKED_BY_US))) return { kind: 'done' };
  return {
    kind: 'not-revoked',
    reason: 'The device stays linked: unlink it on your phone, in Settings → Linked devices.',
  };
}

/** The number of the account; undefined if the code has expired. */
async function scanned(daemon: Daemon, deviceLinkUri: string, signal: AbortSignal): Promise<string | undefined> {
  const parameters = { deviceLinkUri, deviceName: DEVICE };
  try {
    return readLinked(await orEnd(daemon, daemon.call('finishLink', parameters, { timeoutMs: LINK_MS, signal })));
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== CODE.userError) throw error;
    if (/already exists/.test(String(error.cause))) throw new AppError('CONFLICT', EXISTS, { cause: error });
    return undefined;
  }
}

const EXISTS = 'signal-cli has this account already: set `account` to its phone number.';

/** The result, unless signal-cli ends before. */
async function orEnd<T>(daemon: Daemon, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  void daemon.ended.then(reject);
  return Promise.race([work, promise]);
}

const FORGETFUL = { get: async () => undefined, set: async () => {} };

function reasonOf(cause: unknown): string {
  if (cause instanceof OutcomeError) return cause.outcome.reason;
  if (cause instanceof AppError) return cause.message;
  if (cause instanceof RpcError && cause.code === CODE.network) return 'signal-cli cannot reach Signal.';
  if (cause instanceof RpcError && cause.code === CODE.noMethod) {
    return 'signal-cli was started for one account: start it without `-a` to link another.';
  }
  return connectionFailureIn(cause, SETTING_NAMES)?.reason ?? 'signal-cli cannot be reached.';
}

import type { Connection, Host, Outgoing, SendOutcome } from '../connector.ts';
import { outcomeOf, rejected, rejectionOf } from '../outcome-error.ts';
import { findAccount, UNFOUND } from './account.ts';
import { CODE, type Daemon, RpcError } from './daemon.ts';
import { createDirectory } from './directory.ts';
import { download } from './media.ts';
import { SETTING_NAMES } from './names-of-settings.ts';
import { openDaemon } from './open-daemon.ts';
import { SpoolIsFull, type SpoolLimits } from './process-daemon.ts';
import { recordSent, requestId, send } from './send.ts';
import { createReceiver, type Link, learnNames, OWN_UUID } from './session.ts';
import type { SignalSettings } from './settings.ts';

export { login, logout } from './login.ts';

/** Answers to messages of an earlier connection or process, by the id of the request. */
const lateAnswers = new WeakMap<SignalSettings, Map<string, unknown>>();
const MAX_LATE = 1_000;

/** `limits` are for tests. */
export function openConnection(settings: SignalSettings, host: Host, limits?: SpoolLimits): Connection {
  const late = lateAnswers.get(settings) ?? new Map<string, unknown>();
  lateAnswers.set(settings, late);
  let link: Link | undefined;
  let receive: ReturnType<typeof createReceiver> | undefined;
  let daemon: Daemon | undefined;

  const listener = {
    received(params: unknown, stored: () => void) {
      if (receive) receive(params, stored);
    },
    late(id: string, result: unknown) {
      if (id.startsWith('send ') && late.size < MAX_LATE) late.set(id, result);
    },
  };

  async function accountOf(opened: Daemon) {
    const found = await findAccount(opened, settings, host.memory);
    if (found.kind === 'found') return found.account;
    if (found.kind !== 'none') throw rejected(UNFOUND[found.kind]);
    throw rejected(`signal-cli has no such account: link one with \`switchboard chat login ${host.source}\`.`);
  }

  async function prepare(opened: Daemon): Promise<Link> {
    const account = await accountOf(opened);
    const self = { number: account.number, uuid: account.uuid ?? (await host.memory.get(OWN_UUID)) };
    const directory = await createDirectory(self, host.memory);
    const prepared = { daemon: opened, account, directory, host };
    await learnNames(prepared);
    if (self.uuid !== undefined) await host.memory.set(OWN_UUID, self.uuid);
    return prepared;
  }

  async function session(opened: Daemon, signal: AbortSignal): Promise<Error | undefined> {
    const prepared = await prepare(opened);
    receive = createReceiver(prepared);
    link = prepared;
    await opened.subscribe(prepared.account.parameters.account);
    host.connected();
    return Promise.race([opened.ended, aborted(signal)]);
  }

  /** The end of signal-cli explains more than the request that failed with it. */
  async function endOf(opened: Daemon, signal: AbortSignal): Promise<Error | undefined> {
    const over = opened.ended.then((reason) => {
      throw reason;
    });
    over.catch(() => {});
    return Promise.race([session(opened, signal), over, aborted(signal)]);
  }

  async function runOnce(signal: AbortSignal): Promise<Error | undefined> {
    const opened = await openDaemon(settings, host, listener, signal, limits);
    daemon = opened;
    try {
      return await endOf(opened, signal);
    } finally {
      link = undefined;
      await opened.close();
      daemon = undefined;
      receive = undefined;
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        const end = await runOnce(signal).catch((error: unknown) => {
          if (error instanceof SpoolIsFull) return error;
          throw explained(error);
        });
        if (end && !(end instanceof SpoolIsFull)) throw end;
        if (!end || signal.aborted) return;
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async function sendNow(outgoing: Outgoing): Promise<SendOutcome> {
    if (!link) return { kind: 'not-sent', reason: 'signal-cli is not reached at the moment.', retry: true };
    return outcomeOf(send(link, outgoing), 'not-sent', 'unknown');
  }

  return {
    run: (signal) => rejectionOf(run(signal), SETTING_NAMES),
    send: sendNow,
    async wasSent(outgoing) {
      const answer = late.get(requestId(outgoing));
      if (answer === undefined || !link) {
        return { kind: 'unknown', reason: 'Signal keeps no history in which the message could be looked for.' };
      }
      return outcomeOf(recordSent(link, outgoing, answer), 'unknown');
    },
    async download(attachment, request) {
      if (!link) throw new Error('signal-cli is not reached at the moment');
      return download(link, attachment, request);
    },
    addressOf: (text) => addressOf(text, link),
    hold: (isHeld) => daemon?.hold(isHeld),
  };
}

/** A person by phone number or UUID. */
function addressOf(text: string, link: Link | undefined): string | undefined {
  const compact = text.replaceAll(/[\s()./-]/g, '');
  if (/^\+\d{5,20}$/.test(compact)) return link?.directory.uuidOf(compact) ?? compact;
  return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text) ? text.toLowerCase() : undefined;
}

/** Errors that a retry would repeat. */
function explained(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === CODE.wrongParameters) return rejected('signal-cli does not have the account.', { cause: error });
  if (error.code === CODE.userError && /not registered|unregistered/i.test(String(error.cause))) {
    return rejected('The account is no longer linked: remove it from signal-cli, and link it again.', { cause: error });
  }
  return error;
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

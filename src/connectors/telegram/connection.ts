import { NO_SETTINGS } from '../connection-failure.ts';
import type { Connection, Host, Outgoing, SendOutcome } from '../connector.ts';
import { OutcomeError, outcomeOf, rejected, rejectionOf as rejectionOfRun } from '../outcome-error.ts';
import { download } from './download.ts';
import { rejectionOf } from './failures.ts';
import { historyPage } from './history.ts';
import { type Link, openLink } from './link.ts';
import { send } from './send.ts';
import { storedSession } from './session.ts';
import type { TelegramSettings } from './settings.ts';

export { login } from './login.ts';
export { logout } from './logout.ts';

const NOT_REACHED = 'Telegram is not reached at the moment.';
/** Telegram refuses a message that it was sent before; how long it remembers is not documented. */
const REMEMBERED_MS = 60 * 60_000;

export function openConnection(settings: TelegramSettings, host: Host): Connection {
  let link: Link | undefined;
  let waitUntil = 0;

  async function connect(signal: AbortSignal): Promise<void> {
    const session = await storedSession(settings, host);
    if (!session || (settings.session === undefined && !session.self)) {
      throw rejected(`The account is not signed in: \`switchboard chat login ${host.source}\`.`);
    }
    const opened = await openLink({
      settings,
      session,
      host,
      signal,
      onFlood(seconds) {
        waitUntil = host.clock.now() + seconds * 1_000;
      },
    });
    try {
      link = opened;
      await opened.follow();
    } finally {
      link = undefined;
      await opened.close();
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await connect(signal);
    } catch (error) {
      if (signal.aborted) return;
      const refusal = rejectionOf(error, host.source);
      throw refusal ? new OutcomeError(refusal) : error;
    }
  }

  async function sendNow(outgoing: Outgoing): Promise<SendOutcome> {
    if (!link) return { kind: 'not-sent', reason: NOT_REACHED, retry: true };
    return outcomeOf(send(link, outgoing), 'not-sent');
  }

  return {
    run: (signal) => rejectionOfRun(run(signal), NO_SETTINGS),
    async history(request) {
      if (!link) throw new Error(NOT_REACHED);
      return outcomeOf(historyPage(link, request), 'cursor-lost');
    },
    async download(attachment, request) {
      if (!link) throw new Error(NOT_REACHED);
      return download(link, attachment, request);
    },
    addressOf: (text) => (/^@[a-z]\w{3,31}$/i.test(text) ? (link?.chatNamed(text) ?? text.toLowerCase()) : undefined),
    problems() {
      if (host.clock.now() >= waitUntil) return [];
      const time = new Date(waitUntil).toISOString().slice(11, 19);
      return [`Telegram limits requests: it is asked again at ${time} UTC.`];
    },
    send: sendNow,
    // Under the same number a message is sent once, however often this is asked.
    async wasSent(outgoing) {
      const { since = host.clock.now() } = outgoing;
      if (host.clock.now() - since > REMEMBERED_MS) {
        return { kind: 'unknown', reason: 'Telegram may have forgotten the message.' };
      }
      const outcome = await sendNow(outgoing);
      return outcome.kind === 'not-sent' ? { ...outcome, kind: 'unknown' } : outcome;
    },
  };
}

import { setTimeout as pause } from 'node:timers/promises';
import type { LookOutcome, Outgoing, Sent } from '../connector.ts';
import { notSent } from '../outcome-error.ts';
import { type BeeperClient, BeeperError, Unreachable } from './client.ts';
import { isPending } from './convert.ts';
import { bySortKey } from './history.ts';
import { messageOf } from './live.ts';
import { type BeeperMessage, readMessages, readPending } from './schema.ts';
import { plainText } from './text.ts';

/** Beeper answers before the network has taken the message; so long its final id is waited for. */
const CONFIRM_MS = 20_000;
const POLL_MS = 100;
/** Between our clock and that of a network. */
const LEEWAY_MS = 60_000;

export async function send(client: BeeperClient, { chat, text, replyTo }: Outgoing): Promise<Sent> {
  const body = { text, ...(replyTo === undefined ? {} : { replyToMessageID: replyTo }) };
  const answer = await client.ask({ method: 'POST', path: ['chats', chat, 'messages'], body }).catch(explain);
  const pending = readPending(answer);
  const giveUpAt = performance.now() + CONFIRM_MS;
  while (performance.now() < giveUpAt) {
    // Whether it was taken is known; that the answer cannot be read changes nothing.
    const message = await messageOf(client, chat, pending).catch(() => undefined);
    if (message && !isPending(message) && message.id !== pending) return outcomeOf(message);
    await pause(POLL_MS);
  }
  return { kind: 'sent' };
}

function outcomeOf({ id, sendStatus }: BeeperMessage): Sent {
  if (sendStatus?.status?.startsWith('FAIL')) throw notSent('The network did not take the message from Beeper.');
  return { kind: 'sent', id };
}

/** A message that Beeper refused was certainly not sent. After any other failure the outcome is unknown. */
function explain(error: unknown): never {
  if (error instanceof Unreachable) throw notSent(error.message, { retry: true, cause: error });
  if (!(error instanceof BeeperError) || error.status >= 500) throw error;
  if (error.status === 404) throw notSent('There is no such chat.', { cause: error });
  if (error.status === 429) throw notSent('Beeper was asked too often.', { retry: true, cause: error });
  throw notSent('Beeper does not take this message.', { cause: error });
}

/** Looks among our latest messages of the chat. Beeper may have changed the text, so another one of ours is no proof. */
export async function wasSent(
  { ask }: BeeperClient,
  { chat, text, since = Number.POSITIVE_INFINITY }: Outgoing,
): Promise<LookOutcome> {
  const { items } = readMessages(await ask({ path: ['chats', chat, 'messages'] }));
  const reachesBack = items.some(({ timestamp = 0 }) => timestamp < since - LEEWAY_MS);
  const own = items.filter(({ isSender, timestamp = 0 }) => isSender && timestamp >= since - LEEWAY_MS);
  const fitting = own.toSorted(bySortKey).filter((each) => !isPending(each) && plainText(each.text ?? '') === text);
  const [found] = fitting;
  if (found && fitting.length === 1) return { kind: 'sent', id: found.id };
  if (own.length === 0 && reachesBack) return { kind: 'absent' };
  return { kind: 'unknown', reason: 'Beeper has messages of ours that may be this one.' };
}

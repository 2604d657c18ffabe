import type { Outgoing, Sent } from '../connector.ts';
import { notSent, OutcomeError } from '../outcome-error.ts';
import { HomeserverError, type MatrixClient, Unreachable } from './client.ts';
import type { MatrixRooms } from './rooms.ts';
import { readContent, readEvents, readSentEvent } from './schema.ts';
import type { MatrixSession } from './session.ts';

/**
 * Sends a message. The homeserver recognizes a repeated transaction id of this device and answers with the same
 * event; so sending again is also the way to check whether it was sent.
 */
export async function send(
  ask: MatrixClient,
  session: MatrixSession,
  rooms: MatrixRooms,
  outgoing: Outgoing,
): Promise<Sent> {
  const { id, chat, replyTo } = outgoing;
  if (!chat.startsWith('!')) throw notSent('There is no such room.');
  const room = rooms.get(chat);
  if (room?.encrypted ?? (await beforeSending(isEncrypted(ask, session, chat)))) {
    throw notSent('The room is encrypted, and Switchboard cannot encrypt messages.');
  }
  const thread = replyTo === undefined ? undefined : await beforeSending(threadOf(ask, session, chat, replyTo));
  const path = ['rooms', chat, 'send', 'm.room.message', `switchboard.${id}`];
  const sending = ask({ method: 'PUT', path, body: contentOf(outgoing, thread), token: session.token });
  const answer = await sending.catch((error: unknown) => {
    if (room?.isReplaced && error instanceof HomeserverError && error.status === 403) {
      throw notSent('The room was replaced by another one, which takes the messages now.', { cause: error });
    }
    return explain(error);
  });
  return { kind: 'sent', id: readSentEvent(answer).event_id };
}

/** Requested only if the state of the room is incomplete: nothing may be sent unencrypted to an encrypted room. */
async function isEncrypted(ask: MatrixClient, { token }: MatrixSession, room: string): Promise<boolean> {
  const path = ['rooms', room, 'state', 'm.room.encryption'];
  return ask({ path, token }).then(
    () => true,
    (error: unknown) => (error instanceof HomeserverError && error.status === 404 ? false : explain(error)),
  );
}

/** The message that began the thread in which this one is. Without it the answer would be outside of the thread. */
async function threadOf(
  ask: MatrixClient,
  { token }: MatrixSession,
  room: string,
  message: string,
): Promise<string | undefined> {
  const answer = await ask({ path: ['rooms', room, 'event', message], token }).catch((error: unknown) => {
    if (error instanceof HomeserverError && error.status < 500) return undefined;
    throw error;
  });
  const [event] = readEvents([answer]);
  const relation = readContent(event?.content)['m.relates_to'];
  return relation?.rel_type === 'm.thread' ? relation.event_id : undefined;
}

function contentOf({ text, replyTo }: Outgoing, thread: string | undefined): Record<string, unknown> {
  const inThread = thread === undefined ? {} : { rel_type: 'm.thread', event_id: thread, is_falling_back: false };
  return {
    msgtype: 'm.text',
    body: text,
    // Declares that no user is mentioned; without it homeservers search the text for names.
    'm.mentions': {},
    ...(replyTo === undefined ? {} : { 'm.relates_to': { ...inThread, 'm.in_reply_to': { event_id: replyTo } } }),
  };
}

/** What fails before the message is handed over: it was certainly not sent. */
export async function beforeSending<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof OutcomeError) throw error;
    throw notSent('The homeserver did not answer as it should before the message was sent.', {
      retry: true,
      cause: error,
    });
  }
}

/** A message that the homeserver refused was certainly not sent. After any other failure the outcome is unknown. */
export function explain(error: unknown): never {
  if (error instanceof Unreachable) throw notSent(error.message, { retry: true, cause: error });
  if (!(error instanceof HomeserverError) || error.status >= 500 || error.status < 400) throw error;
  throw notSent(wordsFor(error), { retry: [401, 429].includes(error.status), cause: error });
}

function wordsFor({ status, code }: HomeserverError): string {
  if (status === 401) return 'The homeserver asks for a new sign-in.';
  if (status === 429) return 'The homeserver was asked too often, and wants to be left alone for a while.';
  if (status === 403) return 'The user may not write in this room.';
  if (status === 404) return 'There is no such room.';
  if (status === 413 || code === 'M_TOO_LARGE') return 'The message is too long for Matrix.';
  return 'The homeserver does not take this message.';
}

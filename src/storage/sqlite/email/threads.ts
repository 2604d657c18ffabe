import { idsOf, placeInThread, type ThreadPosition } from '../../../domain/email-thread.ts';
import type { MailToStore } from '../../../email/ports.ts';
import { bareSubject } from '../../../lib/mail-subject.ts';
import { joinChats } from '../chat/join-chats.ts';
import type { PreparedEvent } from '../chat/prepare-events.ts';
import type { Transaction } from '../database.ts';

/** An email with the words of its text, ready to be written. */
export interface PreparedMail {
  mail: MailToStore;
  prepared: PreparedEvent;
}

/** The emails as messages of the conversations they belong to, which are stored for the ids they refer to. */
export function placeInThreads(tx: Transaction, source: number, mails: readonly PreparedMail[]): PreparedMail[] {
  const positions = mails.map(({ mail }) => positionOf(mail));
  const known = knownThreads(tx, source, positions.flatMap(idsOf));
  const taken = storedIds(tx, source, mails);
  return mails.map(({ mail, prepared }, index) => {
    const position = positions[index] as ThreadPosition;
    const { rfcMessageId } = position;
    const place = placeInThread(position, known);
    const isTaken = rfcMessageId === undefined || taken.has(rfcMessageId);
    if (place.joined !== undefined && !isTaken) join(tx, source, place.joined, place.chat, known);
    for (const id of idsOf(position)) if (!known.has(id)) addThread(tx, source, id, place.chat, known);
    if (rfcMessageId !== undefined) taken.add(rfcMessageId);
    // A reply names the email it answers by this id; a second email with the same one is not answered. No Message-ID contains
    // angle brackets, so that none can be the id of another email.
    const id = isTaken ? `<${mail.identity}>` : rfcMessageId;
    return {
      mail,
      prepared: inChat(mail, prepared, { id, chat: place.chat, isNew: !hasChat(tx, source, place.chat) }),
    };
  });
}

function positionOf({ email, identity, threadId }: MailToStore): ThreadPosition {
  const { rfcMessageId, inReplyTo, references } = email;
  return {
    identity,
    references,
    ...(rfcMessageId === undefined ? {} : { rfcMessageId }),
    ...(inReplyTo === undefined ? {} : { inReplyTo }),
    ...(threadId === undefined ? {} : { threadId }),
  };
}

function knownThreads(tx: Transaction, source: number, ids: readonly string[]): Map<string, string> {
  const rows = tx.all<{ rfc_id: string; chat: string }>(
    `select t.rfc_id, t.chat from json_each(?) as wanted
       cross join email_threads as t on t.account = ? and t.rfc_id = wanted.value`,
    JSON.stringify([...new Set(ids)]),
    source,
  );
  return new Map(rows.map(({ rfc_id: id, chat }) => [id, chat]));
}

/** Message-IDs that stored emails bear. */
function storedIds(tx: Transaction, source: number, mails: readonly PreparedMail[]): Set<string> {
  const rows = tx.all<{ rfc_id: string }>(
    `select e.rfc_id from json_each(?) as wanted cross join email_contents as e on e.account = ? and e.rfc_id = wanted.value`,
    JSON.stringify(mails.flatMap(({ mail }) => mail.email.rfcMessageId ?? [])),
    source,
  );
  return new Set(rows.map(({ rfc_id: id }) => id));
}

function addThread(tx: Transaction, source: number, id: string, chat: string, known: Map<string, string>): void {
  known.set(id, chat);
  tx.run('insert into email_threads (account, rfc_id, chat) values (?, ?, ?) on conflict do nothing', source, id, chat);
}

/** Replies that were stored before the email they answer move into its conversation. */
function join(tx: Transaction, source: number, from: string, to: string, known: Map<string, string>): void {
  const keyOf = (id: string) =>
    tx.get<{ key: number }>('select key from chats where source = ? and id = ?', source, id)?.key;
  const [fromKey, toKey] = [keyOf(from), keyOf(to)];
  if (fromKey !== undefined && toKey === undefined) tx.run('update chats set id = ? where key = ?', to, fromKey);
  else if (fromKey !== undefined && toKey !== undefined && !joinChats(tx, source, fromKey, toKey)) return;
  tx.run('update email_threads set chat = ? where account = ? and chat = ?', to, source, from);
  for (const [id, chat] of known) if (chat === from) known.set(id, to);
}

function hasChat(tx: Transaction, source: number, id: string): boolean {
  return tx.get('select 1 from chats where source = ? and id = ?', source, id) !== undefined;
}

/** A conversation is named after its first email; until that is stored, after another. */
function inChat(
  { email }: MailToStore,
  { event, indexed }: PreparedEvent,
  { id, chat, isNew }: { id: string; chat: string; isNew: boolean },
): PreparedEvent {
  if (event.kind !== 'message') throw new Error('an email is prepared as a message');
  const { subject, references, inReplyTo } = email;
  const answered = inReplyTo ?? references.at(-1);
  const name = isNew || answered === undefined ? { name: bareSubject(subject) || '(no subject)' } : {};
  const message = { ...event.message, id, chat: { id: chat, type: 'thread' as const, ...name } };
  return {
    indexed,
    event: { kind: 'message', message: answered === undefined ? message : { ...message, replyTo: answered } },
  };
}

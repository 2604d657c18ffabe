import type { WindowKey } from '../agent.ts';
import type { LetterState, SentLetter } from '../letter.ts';
import type { StateFile } from './state-file.ts';

/** A sender or recipient, identified by the window where there is one, because names change. */
export interface LetterParty {
  name: string;
  window?: WindowKey;
}

export interface StoredLetter {
  id: string;
  /** Relative to the mail folder. */
  mailbox: string;
  from: LetterParty;
  to: LetterParty;
  storedAt: number;
  preview: string;
}

/** The states of letters. */
export interface LetterStates {
  /** Stores with it the letter that it answers: the newest from its recipient that its sender has fetched. */
  stored(letter: StoredLetter): void;
  /** The letter that the next one from `from` to `to` would answer. */
  answerable(from: LetterParty, to: LetterParty): string | undefined;
  announced(ids: readonly string[], by: string, now: number): void;
  fetched(id: string, now: number): void;
  bounced(id: string, now: number): void;
  /** The window that a letter was sent to; undefined where it is not known. */
  recipientWindow(id: string): WindowKey | undefined;
  /** Neither fetched nor bounced, the oldest first. */
  open(): readonly TrackedLetter[];
  /** Letters that answer another one, among the `limit` that were stored after the letter at `position`. */
  replies(position: number, limit: number): ReplyPage;
  /** Of one sender, the newest first. */
  sentBy(sender: LetterParty, limit: number): readonly TrackedLetter[];
}

export interface ReplyPage {
  replies: readonly { id: string; inReplyTo: string }[];
  /** Of the last letter that was read; missing at the end. */
  next?: number;
}

export interface TrackedLetter extends SentLetter {
  mailbox: string;
  from: string;
  fromWindow?: WindowKey;
  toWindow?: WindowKey;
  inReplyTo?: string;
}

const MAX_OPEN = 10_000;
const MAX_SENT = 10_000;

interface Row {
  id: string;
  mailbox: string;
  sender: string;
  sender_window: string | null;
  recipient: string;
  recipient_window: string | null;
  stored_at: number;
  announced_at: number | null;
  announced_by: string | null;
  fetched_at: number | null;
  answered_at: number | null;
  answer_id: string | null;
  in_reply_to: string | null;
  bounced_at: number | null;
  preview: string;
}

export function openLetterStates(file: StateFile): LetterStates {
  return {
    stored: (letter) => file.together(() => store(file, letter)),
    answerable: (from, to) => answerable(file, from, to),
    announced(ids, by, now) {
      file.together(() => {
        for (const id of ids) {
          file.run(
            'update letters set announced_at = ?, announced_by = ? where id = ? and announced_at is null',
            now,
            by,
            id,
          );
        }
      });
    },
    fetched: (id, now) =>
      void file.run('update letters set fetched_at = ? where id = ? and fetched_at is null', now, id),
    bounced: (id, now) =>
      void file.run('update letters set bounced_at = ? where id = ? and bounced_at is null', now, id),
    recipientWindow: (id) =>
      file.get<{ recipient_window: string | null }>('select recipient_window from letters where id = ?', id)
        ?.recipient_window ?? undefined,
    open: () =>
      file
        .all<Row>(
          `select * from letters where fetched_at is null and bounced_at is null order by stored_at, rowid limit ${MAX_OPEN}`,
        )
        .map(toTracked),
    replies: (position, limit) => repliesAfter(file, position, limit),
    sentBy: (sender, limit) => sentBy(file, sender, limit).map(toTracked),
  };
}

function repliesAfter(file: StateFile, position: number, limit: number): ReplyPage {
  const rows = file.all<{ position: number; id: string; in_reply_to: string | null }>(
    'select rowid as position, id, in_reply_to from letters where rowid > ? order by rowid limit ?',
    ...[position, limit],
  );
  const replies = rows.flatMap(({ id, in_reply_to }) => (in_reply_to === null ? [] : [{ id, inReplyTo: in_reply_to }]));
  const last = rows.at(-1)?.position ?? position;
  return { replies, ...(last > position ? { next: last } : {}) };
}

/** A sender with a window is that window; letters without one are matched by name. */
function sentBy(file: StateFile, { name, window }: LetterParty, limit: number): Row[] {
  const newest = 'order by stored_at desc, rowid desc limit ?';
  const ofWindow =
    window === undefined
      ? []
      : file.all<Row>(`select * from letters where sender_window = ? ${newest}`, window, Math.min(limit, MAX_SENT));
  const ofName = file
    .all<Row>(`select * from letters where sender = ? ${newest}`, name, MAX_SENT)
    .filter(({ sender_window }) => window === undefined || sender_window === null);
  return [...ofWindow, ...ofName].sort((a, b) => b.stored_at - a.stored_at).slice(0, limit);
}

function store(file: StateFile, { id, mailbox, from, to, storedAt, preview }: StoredLetter): void {
  const answers = answerable(file, from, to) ?? null;
  file.run(
    `insert or replace into letters(id, mailbox, sender, sender_window, recipient, recipient_window, stored_at, in_reply_to, preview)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[id, mailbox, from.name, from.window ?? null, to.name, to.window ?? null, storedAt, answers, preview],
  );
  if (answers !== null)
    file.run('update letters set answered_at = ?, answer_id = ? where id = ?', storedAt, id, answers);
}

function answerable(file: StateFile, from: LetterParty, to: LetterParty): string | undefined {
  return file.get<{ id: string }>(
    `select id from letters
     where recipient = ? and sender = ? and fetched_at is not null and answered_at is null
     order by stored_at desc, rowid desc limit 1`,
    ...[from.name, to.name],
  )?.id;
}

function toTracked(row: Row): TrackedLetter {
  const times = {
    announcedAt: row.announced_at,
    announcedBy: row.announced_by,
    fetchedAt: row.fetched_at,
    answeredAt: row.answered_at,
    answerId: row.answer_id,
    bouncedAt: row.bounced_at,
    fromWindow: row.sender_window,
    toWindow: row.recipient_window,
    inReplyTo: row.in_reply_to,
  };
  const known = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== null));
  return {
    id: row.id,
    to: row.recipient,
    from: row.sender,
    mailbox: row.mailbox,
    state: stateOf(row),
    storedAt: row.stored_at,
    preview: row.preview,
    ...known,
  };
}

function stateOf(row: Row): LetterState {
  if (row.answered_at !== null) return 'answered';
  if (row.fetched_at !== null) return 'fetched';
  if (row.bounced_at !== null) return 'bounced';
  return row.announced_at === null ? 'stored' : 'announced';
}

import type { WindowKey } from '../agent.ts';
import { type LetterStates, openLetterStates } from './letter-states.ts';
import { openStateFile, type StateFile } from './state-file.ts';
import { isUnwokenReason, type UnwokenReason } from './unwoken-reason.ts';

/** The position of a line in a mailbox, with the id of its letter. Valid only while that letter is still at this position. */
export interface Mark {
  start: number;
  next: number;
  id: string;
}

/** Stored facts about a mailbox, known without reading it. */
export interface Hint {
  /** All letters up to and including this one are read. */
  read: Mark;
  /** The last line that was counted; `unread` is the number of unread letters between the two. */
  counted: Mark;
  unread: number;
}

/** How an agent can be woken. */
export interface WakeMethod {
  kind: string;
  pid?: number;
  thread?: string;
  /** Process group in the foreground of its pane when it became ready. */
  foreground?: number;
  since: number;
}

/** An agent that has mail and could not be notified of it. */
export interface Unwoken {
  /** Its window, or its name where it has none. */
  agent: string;
  reason: UnwokenReason;
  /** When it could not be notified first, for this reason. */
  since: number;
}

/** Consecutive letters in which two agents only replied to each other. */
export interface LetterExchange {
  count: number;
  lastFrom: string;
  lastAt: number;
  stoppedAt?: number;
}

/** A letter that is held for one reader. */
export interface Lease {
  id: string;
  mailbox: string;
  /** The process that delivers it. */
  holder: number;
  until: number;
  /** Distinguishes this lease from a later one of the same letter. */
  token: string;
}

/** State of the delivery of letters, shared by all processes of a repository. Each method is one transaction. */
export interface DeliveryState extends LetterStates {
  /** Leased until that time, or until the process exits. False when another process holds the letter. */
  lease(lease: Lease, now: number, hint?: Hint): boolean;
  /** Ids of letters leased by processes that are running. */
  leased(now: number): ReadonlySet<string>;
  release(lease: Pick<Lease, 'id' | 'token'>): void;
  /** The reader has received it. */
  settle(id: string, mailbox: string, now: number, hint?: Hint): void;

  hint(mailbox: string): Hint | undefined;
  dropHint(mailbox: string): void;

  /** Windows and their current names. */
  sawWindows(windows: readonly { window: WindowKey; name: string }[], now: number): void;
  /** All names that a window has had, the newest first. */
  namesOf(window: WindowKey): readonly string[];

  wakeMethod(agent: string): WakeMethod | undefined;
  keepWakeMethod(agent: string, wakeMethod: WakeMethod): void;
  dropWakeMethod(agent: string): void;

  /** Replaces the agents that could not be notified. */
  keepUnwoken(agents: readonly Unwoken[]): void;
  unwoken(): readonly Unwoken[];

  /** A pair is the sorted names of two agents, as JSON. */
  exchange(pair: string): LetterExchange | undefined;
  keepExchange(pair: string, exchange: LetterExchange): void;
  dropExchange(pair: string): void;
  exchanges(): readonly (LetterExchange & { pair: string; agents: readonly string[] })[];

  /** Agents without a window, such as those on HTTP. */
  sawRemoteAgent(name: string, now: number): void;
  remoteAgents(since: number): readonly string[];

  /** Deletes what is older: finished letters, and windows and agents not seen since. */
  forget(before: number): void;
}

export interface OpenDeliveryState extends DeliveryState {
  close(): void;
}

/** More rows of any kind are not read. */
const MAX_ROWS = 10_000;
/** Of one table, in one cleanup. */
const MAX_FORGOTTEN = 100_000;
/** Of one window. */
const MAX_NAMES = 100;
const MAX_UNWOKEN = 1_000;
/** A window is stored again only after this time. */
const SEEN_AGAIN_MS = 60_000;

export function openDeliveryState(mailFolder: string, warn: (message: string) => void = () => {}): OpenDeliveryState {
  const file = openStateFile(mailFolder, warn);
  return {
    ...openLetterStates(file),
    ...leases(file),
    ...hints(file),
    ...windows(file),
    ...wakeMethods(file),
    ...unwokenAgents(file),
    ...exchanges(file),
    ...remoteAgents(file),
    forget: (before) => forget(file, before),
    close: () => file.close(),
  };
}

function leases(file: StateFile): Pick<DeliveryState, 'lease' | 'leased' | 'release' | 'settle'> {
  return {
    lease({ id, mailbox, holder, until, token }, now, hint) {
      return file.together(() => {
        const held = file.get<Lease>('select holder, until from leases where id = ?', id);
        if (held && isLive(held, now)) return false;
        file.run('insert or replace into leases values (?, ?, ?, ?)', id, holder, until, token);
        if (hint) keepHint(file, mailbox, hint);
        return true;
      });
    },
    leased(now) {
      const rows = file.all<Lease>(`select id, holder, until from leases limit ${MAX_ROWS}`);
      return new Set(rows.filter((row) => isLive(row, now)).map(({ id }) => id));
    },
    release: ({ id, token }) => void file.run('delete from leases where id = ? and token = ?', id, token),
    settle(id, mailbox, now, hint) {
      file.together(() => {
        file.run('delete from leases where id = ?', id);
        file.run('update letters set fetched_at = ? where id = ? and fetched_at is null', now, id);
        if (hint) keepHint(file, mailbox, hint);
        else file.run('delete from hints where mailbox = ?', mailbox);
      });
    },
  };
}

function isLive({ holder, until }: Pick<Lease, 'holder' | 'until'>, now: number): boolean {
  if (until <= now) return false;
  try {
    process.kill(holder, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function hints(file: StateFile): Pick<DeliveryState, 'hint' | 'dropHint'> {
  return {
    hint(mailbox) {
      const row = file.get<HintRow>('select * from hints where mailbox = ?', mailbox);
      return (
        row && {
          read: { start: row.line_start, next: row.next, id: row.last_id },
          counted: { start: row.counted_start, next: row.counted_next, id: row.counted_id },
          unread: row.unread,
        }
      );
    },
    dropHint: (mailbox) => void file.run('delete from hints where mailbox = ?', mailbox),
  };
}

function keepHint(file: StateFile, mailbox: string, { read, counted, unread }: Hint): void {
  file.run(
    'insert or replace into hints values (?, ?, ?, ?, ?, ?, ?, ?)',
    ...[mailbox, read.start, read.next, read.id, counted.start, counted.next, counted.id, unread],
  );
}

interface HintRow {
  line_start: number;
  next: number;
  last_id: string;
  counted_start: number;
  counted_next: number;
  counted_id: string;
  unread: number;
}

function windows(file: StateFile): Pick<DeliveryState, 'sawWindows' | 'namesOf'> {
  const seenSince = (time: number) => {
    const rows = file.all<{ window: string; name: string }>(
      `select window, name from names where seen_at > ? order by seen_at limit ${MAX_ROWS}`,
      time,
    );
    return new Map(rows.map(({ window, name }) => [window, name]));
  };
  return {
    sawWindows(seen, now) {
      const known = seenSince(now - SEEN_AGAIN_MS);
      const news = seen.filter(({ window, name }) => known.get(window) !== name);
      if (news.length === 0) return;
      file.together(() => {
        for (const { window, name } of news)
          file.run('insert or replace into names values (?, ?, ?)', window, name, now);
      });
    },
    namesOf: (window) =>
      file
        .all<{ name: string; seen_at: number }>(
          `select name, seen_at from names where window = ? limit ${MAX_NAMES}`,
          window,
        )
        .sort((a, b) => b.seen_at - a.seen_at)
        .map(({ name }) => name),
  };
}

function wakeMethods(file: StateFile): Pick<DeliveryState, 'wakeMethod' | 'keepWakeMethod' | 'dropWakeMethod'> {
  return {
    wakeMethod(agent) {
      const row = file.get<
        Record<'pid' | 'foreground', number | null> & { kind: string; thread: string | null; since: number }
      >('select kind, pid, thread, foreground, since from ways where agent = ?', agent);
      return (
        row && {
          kind: row.kind,
          since: row.since,
          ...(row.pid === null ? {} : { pid: row.pid }),
          ...(row.thread === null ? {} : { thread: row.thread }),
          ...(row.foreground === null ? {} : { foreground: row.foreground }),
        }
      );
    },
    keepWakeMethod(agent, { kind, pid, thread, foreground, since }) {
      file.run(
        'insert or replace into ways values (?, ?, ?, ?, ?, ?)',
        ...[agent, kind, pid ?? null, thread ?? null, foreground ?? null, since],
      );
    },
    dropWakeMethod: (agent) => void file.run('delete from ways where agent = ?', agent),
  };
}

function unwokenAgents(file: StateFile): Pick<DeliveryState, 'keepUnwoken' | 'unwoken'> {
  const stored = () => file.all<Unwoken>(`select * from unwoken limit ${MAX_UNWOKEN}`);
  return {
    keepUnwoken(agents) {
      file.together(() => {
        for (const { agent } of stored()) file.run('delete from unwoken where agent = ?', agent);
        for (const { agent, reason, since } of agents.slice(0, MAX_UNWOKEN))
          file.run('insert or replace into unwoken values (?, ?, ?)', agent, reason, since);
      });
    },
    // A newer version may know more reasons.
    unwoken: () => stored().filter(({ reason }) => isUnwokenReason(reason)),
  };
}

function exchanges(file: StateFile): Pick<DeliveryState, 'exchange' | 'keepExchange' | 'dropExchange' | 'exchanges'> {
  return {
    exchange: (pair) => file.all<ExchangeRow>('select * from exchanges where pair = ?', pair).map(toExchange)[0],
    exchanges: () =>
      file
        .all<ExchangeRow>(`select * from exchanges limit ${MAX_ROWS}`)
        .map((row) => ({ ...toExchange(row), pair: row.pair, agents: JSON.parse(row.pair) as string[] })),
    keepExchange(pair, { count, lastFrom, lastAt, stoppedAt }) {
      file.run(
        'insert or replace into exchanges values (?, ?, ?, ?, ?)',
        ...[pair, count, lastFrom, lastAt, stoppedAt ?? null],
      );
    },
    dropExchange: (pair) => void file.run('delete from exchanges where pair = ?', pair),
  };
}

interface ExchangeRow {
  pair: string;
  count: number;
  last_from: string;
  last_at: number;
  stopped_at: number | null;
}

function toExchange({ count, last_from, last_at, stopped_at }: ExchangeRow): LetterExchange {
  return {
    count,
    lastFrom: last_from,
    lastAt: last_at,
    ...(stopped_at === null ? {} : { stoppedAt: stopped_at }),
  };
}

function remoteAgents(file: StateFile): Pick<DeliveryState, 'sawRemoteAgent' | 'remoteAgents'> {
  return {
    sawRemoteAgent: (name, now) => void file.run('insert or replace into remote_agents values (?, ?)', name, now),
    remoteAgents: (since) =>
      file
        .all<{ name: string; seen_at: number }>(`select name, seen_at from remote_agents limit ${MAX_ROWS}`)
        .filter(({ seen_at }) => seen_at >= since)
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name }) => name),
  };
}

function forget(file: StateFile, before: number): void {
  file.together(() => {
    const isOver = ({ stored_at, fetched_at, bounced_at }: AgeRow) =>
      stored_at < before && (fetched_at !== null || bounced_at !== null);
    forgetRows<AgeRow>(file, 'letters', 'stored_at, fetched_at, bounced_at', isOver);
    for (const table of ['names', 'remote_agents']) {
      forgetRows<{ seen_at: number }>(file, table, 'seen_at', ({ seen_at }) => seen_at < before);
    }
    forgetRows<{ last_at: number }>(file, 'exchanges', 'last_at', ({ last_at }) => last_at < before);
    forgetRows<{ until: number }>(file, 'leases', 'until', ({ until }) => until < before);
  });
}

interface AgeRow {
  stored_at: number;
  fetched_at: number | null;
  bounced_at: number | null;
}

/** Deletes the oldest rows that are over; a later cleanup deletes the next. */
function forgetRows<Row extends object>(
  file: StateFile,
  table: string,
  columns: string,
  isOver: (row: Row) => boolean,
): void {
  const rows = file.all<Row & { rowid: number }>(
    `select rowid, ${columns} from ${table} order by rowid limit ${MAX_FORGOTTEN}`,
  );
  for (const row of rows) if (isOver(row)) file.run(`delete from ${table} where rowid = ?`, row.rowid);
}

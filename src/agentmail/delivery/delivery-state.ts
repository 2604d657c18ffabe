import type { WindowKey } from '../agent.ts';
import { type LetterStates, openLetterStates } from './letter-states.ts';
import { openStateFile, type StateFile } from './state-file.ts';

/** Where a line of a mailbox stands, and whose it is: it is trusted only while that letter is still there. */
export interface Mark {
  start: number;
  next: number;
  id: string;
}

/** What is known of a mailbox without reading it. */
export interface Hint {
  /** All lines up to and with this one are read. */
  read: Mark;
  /** The last line that was counted, and how many between the two are unread. */
  counted: Mark;
  unread: number;
}

/** How an agent can be woken. */
export interface WakeMethod {
  kind: string;
  pid?: number;
  thread?: string;
  /** The leader of its pane's foreground process group when it said that it is ready. */
  foreground?: number;
  since: number;
}

/** Letters that two agents did nothing but answer each other with. */
export interface Exchange {
  count: number;
  lastFrom: string;
  lastAt: number;
  stoppedAt?: number;
}

/** A letter that is held for its reader. */
export interface Lease {
  id: string;
  mailbox: string;
  /** The process that hands it out. */
  holder: number;
  until: number;
  /** Tells this lease from one that follows when its time is over. */
  token: string;
}

/** Notes about mail, shared by all processes of a repository. Each method is one whole fact. */
export interface DeliveryState extends LetterStates {
  /** Held for a reader until the time given, or until the process ends. False when somebody else holds it. */
  lease(lease: Lease, now: number, hint?: Hint): boolean;
  /** Ids that somebody who lives holds. */
  leased(now: number): ReadonlySet<string>;
  release(lease: Pick<Lease, 'id' | 'token'>): void;
  /** Its reader has it. */
  settle(id: string, mailbox: string, now: number, hint?: Hint): void;

  hint(mailbox: string): Hint | undefined;
  dropHint(mailbox: string): void;

  /** Windows and the names they bear now. */
  sawWindows(windows: readonly { window: WindowKey; name: string }[], now: number): void;
  /** Every name that a window has borne, the newest first. */
  namesOf(window: WindowKey): readonly string[];

  wakeMethod(agent: string): WakeMethod | undefined;
  keepWakeMethod(agent: string, wakeMethod: WakeMethod): void;
  dropWakeMethod(agent: string): void;

  /** A pair is the sorted names of two agents, as JSON. */
  exchange(pair: string): Exchange | undefined;
  keepExchange(pair: string, exchange: Exchange): void;
  dropExchange(pair: string): void;
  exchanges(): readonly (Exchange & { pair: string; agents: readonly string[] })[];

  /** Agents without a window, such as those on HTTP. */
  sawRemoteAgent(name: string, now: number): void;
  remoteAgents(since: number): readonly string[];

  /** Forgets what happened before a time: letters that are finished, windows and agents not seen since. */
  forget(before: number): void;
}

export interface OpenDeliveryState extends DeliveryState {
  close(): void;
}

/** A window that is seen all the time is not written down all the time. */
const SEEN_AGAIN_MS = 60_000;

export function openDeliveryState(mailFolder: string, warn: (message: string) => void = () => {}): OpenDeliveryState {
  const file = openStateFile(mailFolder, warn);
  return {
    ...openLetterStates(file),
    ...leases(file),
    ...hints(file),
    ...windows(file),
    ...wakeMethods(file),
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
      const rows = file.all<Lease>('select id, holder, until from leases');
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
      'select window, name from names where seen_at > ? order by seen_at',
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
        .all<{ name: string }>('select name from names where window = ? order by seen_at desc', window)
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

function exchanges(file: StateFile): Pick<DeliveryState, 'exchange' | 'keepExchange' | 'dropExchange' | 'exchanges'> {
  return {
    exchange: (pair) => file.all<ExchangeRow>('select * from exchanges where pair = ?', pair).map(toExchange)[0],
    exchanges: () =>
      file
        .all<ExchangeRow>('select * from exchanges')
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

function toExchange({ count, last_from, last_at, stopped_at }: ExchangeRow): Exchange {
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
        .all<{ name: string }>('select name from remote_agents where seen_at >= ? order by name', since)
        .map(({ name }) => name),
  };
}

function forget(file: StateFile, before: number): void {
  file.together(() => {
    file.run('delete from letters where stored_at < ? and (fetched_at is not null or bounced_at is not null)', before);
    for (const table of ['names', 'remote_agents']) file.run(`delete from ${table} where seen_at < ?`, before);
    file.run('delete from exchanges where last_at < ?', before);
    file.run('delete from leases where until < ?', before);
  });
}

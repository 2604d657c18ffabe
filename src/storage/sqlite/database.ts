import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import type { StoredEvent } from '../../domain/event-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MigrationPlan } from '../definition.ts';
import { type BackgroundTask, createBackground } from './background.ts';
import { createCheckpointer } from './checkpoint.ts';
import { connect, MEMORY, type SqliteConnection, type SqlValue } from './connection.ts';
import { migrate } from './migrate.ts';
import { breaksConnection, isBusy, toStoreError } from './store-error.ts';

/** How long one try may hold the thread while another process writes; after that the wait is asynchronous. */
const BUSY_TIMEOUT_MS = 20;
const BUSY_RETRY_MS = 15_000;
/** Calls that follow each other without a pause let everything else in the process run this often. */
const YIELD_INTERVAL_MS = 10;
/** How often it is looked how long the log has become. */
const COMMITS_PER_WAL_CHECK = 16;

export interface Reader {
  get<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row extends object>(sql: string, ...values: SqlValue[]): Row[];
}

export interface Transaction extends Reader {
  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** What `appendEvents` wrote; published once it is committed. */
  readonly events: StoredEvent[];
}

/**
 * One connection. The bodies of `read` and `write` are synchronous and may run again when another process was in the
 * way, so they touch nothing but the database. A connection that failed is opened anew by the next call, so that the
 * store works again as soon as the disk does.
 */
export interface Database {
  readonly location: string;
  /** What its schema is brought to. */
  readonly migrations: MigrationPlan;
  read<T>(body: (reader: Reader) => T): Promise<T>;
  /** All or nothing, one after the other, on disk when the promise resolves. */
  write<T>(body: (tx: Transaction) => T, options?: WriteOptions): Promise<T>;
  /** Writes wait until the job is done: for what needs the whole file. */
  exclusively<T>(job: () => Promise<T>): Promise<T>;
  /** Writes wait until the task is done, and nothing else does; whether there is more of it. Not for a store in memory. */
  inBackground(task: BackgroundTask): Promise<boolean>;
  /** Called right after each commit that wrote events. */
  onCommit(publish: (events: readonly StoredEvent[]) => void): void;
  /** For jobs on a store in memory, which no other thread can open. */
  connection(): DatabaseSync;
  close(): Promise<void>;
}

export interface WriteOptions {
  /**
   * It could be had again after a power cut, and so does not wait for the disk; a killed process loses nothing of it. What
   * is written later without this takes it to the disk as well.
   */
  durable?: boolean;
}

interface DatabaseOptions {
  location: string;
  clock: Clock;
  migrations: MigrationPlan;
  /** How long a call waits for another process before it gives up. */
  busyRetryMs?: number;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { location, clock, migrations, busyRetryMs = BUSY_RETRY_MS } = options;
  const publishers: ((events: readonly StoredEvent[]) => void)[] = [];
  const serialize = createSerialQueue();
  const yieldToEventLoop = createYield();
  const background = createBackground(location);
  const checkpointer = createCheckpointer({ location, background, exclusively: serialize });
  let open: SqliteConnection | undefined;
  let wasOpened = false;
  let commits = 0;
  let closed = false;

  function current(): SqliteConnection {
    if (closed) throw new AppError('SERVICE_UNAVAILABLE', 'The store is closed.');
    open ??= openConnection();
    return open;
  }

  function openConnection(): SqliteConnection {
    // Only the first opening may make the file: a store that vanished later is an error, not an empty store.
    const connection = connect(location, { busyTimeoutMs: BUSY_TIMEOUT_MS, create: !wasOpened });
    try {
      migrate(connection.raw, migrations, clock.now());
    } catch (error) {
      connection.close();
      throw error;
    }
    wasOpened = true;
    return connection;
  }

  function drop(): void {
    if (!open || location === MEMORY) return;
    const broken = open;
    open = undefined;
    closeQuietly(broken);
  }

  async function retryWhileBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + busyRetryMs;
    for (;;) {
      try {
        const result = await attempt();
        await yieldToEventLoop();
        return result;
      } catch (error) {
        if (breaksConnection(error)) drop();
        if (!isBusy(error) || performance.now() >= giveUpAt) throw toStoreError(error, location);
      }
      await sleep(5 + Math.random() * 20);
    }
  }

  function commit<T>(body: (tx: Transaction) => T, { durable = true }: WriteOptions): T {
    if (open && !open.isFileUnchanged()) drop();
    const connection = current();
    connection.setDurable(durable);
    const tx: Transaction = { ...readerOf(connection), run: runnerOf(connection), events: [] };
    connection.statement('begin immediate').run();
    let result: T;
    try {
      result = body(tx);
      connection.statement('commit').run();
    } catch (error) {
      // SQLite has rolled back by itself after some failures, a full disk among them.
      if (connection.raw.isTransaction) connection.statement('rollback').run();
      throw error;
    }
    if (tx.events.length > 0) for (const publish of publishers) publish(tx.events);
    return result;
  }

  await retryWhileBusy(current);
  return {
    location,
    migrations,
    read: (body) => retryWhileBusy(() => body(readerOf(current()))),
    write: (body, writeOptions = {}) =>
      serialize(async () => {
        // The thread must have let go of a file that was replaced before anybody writes to the new one.
        if (open && !open.isFileUnchanged()) await background.terminate();
        const result = await retryWhileBusy(() => commit(body, writeOptions));
        commits += 1;
        if (open && commits % COMMITS_PER_WAL_CHECK === 0) void checkpointer.runIfDue(open);
        return result;
      }),
    exclusively: serialize,
    async inBackground(task) {
      // It would wait for that anyway, but nobody else has to.
      await checkpointer.whenIdle();
      return serialize(() => retryWhileBusy(() => background.run(task)));
    },
    onCommit: (publish) => void publishers.push(publish),
    connection: () => current().raw,
    close: () =>
      serialize(async () => {
        const last = open;
        open = undefined;
        closed = true;
        await background.stop();
        if (last) closeQuietly(last);
      }),
  };
}

function readerOf(connection: SqliteConnection): Reader {
  return {
    get: <Row extends object>(sql: string, ...values: SqlValue[]) =>
      connection.statement(sql).get(...values) as Row | undefined,
    all: <Row extends object>(sql: string, ...values: SqlValue[]) => connection.statement(sql).all(...values) as Row[],
  };
}

function runnerOf(connection: SqliteConnection): Transaction['run'] {
  return (sql, ...values) => Number(connection.statement(sql).run(...values).changes);
}

/** Everything is committed already; what fails here is tidying up, and the next opening does it. */
function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.raw.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The disk is full or gone; the WAL stays and is read at the next opening.
  }
  try {
    connection.close();
  } catch {
    // A connection whose file is gone.
  }
}

/** Runs jobs one after the other, the first at once and synchronously as far as it gets. */
function createSerialQueue(): <T>(job: () => Promise<T>) => Promise<T> {
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  return (job) => {
    const turn = waiting === 0 ? job() : last.then(job);
    waiting += 1;
    const leave = () => {
      waiting -= 1;
    };
    last = turn.then(leave, leave);
    return turn;
  };
}

/** Synchronous work behind promises never gives the event loop a turn by itself; a loop of awaited writes would stop it. */
function createYield(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < YIELD_INTERVAL_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}

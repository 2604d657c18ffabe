import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread } from 'node:worker_threads';
import { AppError } from '../../domain/errors.ts';
import type { StoredEvent } from '../../domain/event-log.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MigrationPlan } from '../definition.ts';
import { type BackgroundTask, createBackground, createOwnBackground } from './background.ts';
import { createCheckpointer } from './checkpoint.ts';
import { connect, MEMORY, type SqliteConnection, type SqlValue } from './connection.ts';
import { migrate } from './migrate.ts';
import { breaksConnection, isBusy, toStoreError } from './store-error.ts';
import { createWaitingWriters } from './waiting-writers.ts';

/** How long one attempt may block the thread while another process writes; further waiting is asynchronous. */
const BUSY_TIMEOUT_MS = 20;
const BUSY_RETRY_MS = 15_000;
/** Maximum time between two turns of the event loop while calls follow each other without a pause. */
const YIELD_INTERVAL_MS = 10;
/** Work that can wait waits until nothing was written for so long, but not forever. */
const QUIET_MS = 100;
const MAX_QUIET_WAIT_MS = 2_000;
/** The size of the WAL is checked once per so many commits. */
const COMMITS_PER_WAL_CHECK = 16;

export interface Reader {
  get<Row extends object>(sql: string, ...values: SqlValue[]): Row | undefined;
  all<Row extends object>(sql: string, ...values: SqlValue[]): Row[];
}

export interface Transaction extends Reader {
  /** Returns how many rows changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Events written by `appendEvents`; they are published after the commit. */
  readonly events: StoredEvent[];
}

/**
 * One connection. The bodies of `read` and `write` are synchronous and may run again if another process holds the
 * lock, so they must touch nothing but the database. After a failure that breaks the connection the next call opens
 * another one, so that the store recovers together with the disk.
 */
export interface Database {
  readonly location: string;
  /** Migrations that the schema is brought to. */
  readonly migrations: MigrationPlan;
  read<T>(body: (reader: Reader) => T): Promise<T>;
  /** Atomic and serialized; durable when the promise resolves. */
  write<T>(body: (tx: Transaction) => T, options?: WriteOptions): Promise<T>;
  /** Blocks writes until the job is done, for jobs that need the whole file. */
  exclusively<T>(job: () => Promise<T>): Promise<T>;
  /**
   * Runs a task in the background thread while writes are blocked and reads continue. Returns whether more of the
   * task is left. Not for an in-memory store.
   */
  inBackground(task: BackgroundTask): Promise<boolean>;
  /** Work in the background ends, and waits until this work is done: it writes now and then, and needs the processor. */
  prioritize<T>(work: () => Promise<T>): Promise<T>;
  /**
   * Resolves when this connection has not written for a while and no work has priority, so that work in the background holds up no
   * caller. It does not wait forever.
   */
  whenQuiet(): Promise<void>;
  /** Registers a function that is called right after each commit that wrote events. */
  onCommit(publish: (events: readonly StoredEvent[]) => void): void;
  /** For jobs on an in-memory store, which no other thread can open. */
  connection(): DatabaseSync;
  close(): Promise<void>;
}

export interface WriteOptions {
  /**
   * Default true. False for what can be fetched again after a power loss: the commit does not wait for the disk. It
   * still survives a killed process, and a later durable commit makes it durable as well.
   */
  durable?: boolean;
}

interface DatabaseOptions {
  location: string;
  clock: Clock;
  migrations: MigrationPlan;
  /** How long a call retries while another process holds the lock. */
  busyRetryMs?: number;
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { location, clock, migrations, busyRetryMs = BUSY_RETRY_MS } = options;
  const publishers: ((events: readonly StoredEvent[]) => void)[] = [];
  const serialize = createSerialQueue();
  const yieldToEventLoop = createYield();
  const writers = createWaitingWriters();
  const background = isMainThread ? createBackground(location, { writers }) : createOwnBackground(() => current().raw);
  const checkpointer = createCheckpointer({ location, background, exclusively: serialize });
  let open: SqliteConnection | undefined;
  let wasOpened = false;
  let commits = 0;
  let lastWriteAt = Number.NEGATIVE_INFINITY;
  let prioritized = 0;
  let closed = false;

  function current(): SqliteConnection {
    if (closed) throw new AppError('SERVICE_UNAVAILABLE', 'The store is closed.');
    open ??= openConnection();
    return open;
  }

  function openConnection(): SqliteConnection {
    // Only the first opening may create the file. A store that vanishes later is an error, not an empty store.
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
      // SQLite has already rolled back after some failures, such as a full disk.
      if (connection.raw.isTransaction) connection.statement('rollback').run();
      throw error;
    }
    if (tx.events.length > 0) for (const publish of publishers) publish(tx.events);
    return result;
  }

  function inTurn<T>(job: () => Promise<T>): Promise<T> {
    lastWriteAt = performance.now();
    writers.arrived();
    return serialize(() => {
      writers.left();
      return job();
    });
  }

  await retryWhileBusy(current);
  return {
    location,
    migrations,
    read: (body) => retryWhileBusy(() => body(readerOf(current()))),
    write: (body, writeOptions = {}) =>
      inTurn(async () => {
        // The background thread must close a replaced file before the new one is written to.
        if (open && !open.isFileUnchanged()) await background.terminate();
        const result = await retryWhileBusy(() => commit(body, writeOptions));
        commits += 1;
        // A thread that only stores much leaves that to the main thread; beyond `MAX_WAL_PAGES` SQLite does it.
        if (open && isMainThread && commits % COMMITS_PER_WAL_CHECK === 0) void checkpointer.runIfDue(open);
        return result;
      }),
    async prioritize(work) {
      prioritized += 1;
      // As a writer that waits it ends what is running.
      void inTurn(async () => {});
      try {
        return await work();
      } finally {
        prioritized -= 1;
      }
    },
    exclusively: serialize,
    async inBackground(task) {
      // The task would wait for a running checkpoint anyway; waiting here does not block writers. Nor does starting the thread.
      await Promise.all([checkpointer.whenIdle(), background.start()]);
      return serialize(() => retryWhileBusy(() => background.run(task)));
    },
    async whenQuiet() {
      // No other thread works on such a store.
      if (location === MEMORY) return;
      const giveUpAt = performance.now() + MAX_QUIET_WAIT_MS;
      for (let now = performance.now(); now < giveUpAt; now = performance.now()) {
        const quietAt = prioritized > 0 ? now + QUIET_MS : lastWriteAt + QUIET_MS;
        if (now >= quietAt) return;
        await sleep(quietAt - now, undefined, { ref: false });
      }
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

/** Everything is committed; a checkpoint that fails here happens at the next opening. */
function closeQuietly(connection: SqliteConnection): void {
  try {
    connection.raw.exec('pragma wal_checkpoint(truncate)');
  } catch {
    // The disk is full or missing. The WAL remains and is read at the next opening.
  }
  try {
    connection.close();
  } catch {
    // The connection's file was removed.
  }
}

/** Runs jobs one after the other. If none is running, the job starts synchronously. */
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

/** Awaiting synchronous work never returns to the event loop, so a loop of awaited writes would block it. */
function createYield(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < YIELD_INTERVAL_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    last = performance.now();
  };
}

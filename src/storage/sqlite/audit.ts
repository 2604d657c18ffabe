import type { Log } from '../../lib/log.ts';
import type { AuditEntry, AuditFilter, AuditLog, StoredAuditEntry } from '../../system/ports.ts';
import type { Database, Reader, Transaction } from './database.ts';
import { pruneOldest } from './prune.ts';

const FLUSH_MS = 250;
/** More are written earlier: writing very many at once would hold up calls. */
const MAX_BATCH = 500;
const RETRY_MS = 5_000;
const DEFAULT_LIMIT = 1_000;
/** Reads continue while the disk is full; at most this many of their audit lines are kept in memory until it is not. */
const MAX_PENDING = 10_000;

interface AuditRow extends Omit<AuditEntry, 'durationMs' | 'identity' | 'session' | 'object' | 'reason'> {
  position: number;
  duration_ms: number;
  identity: string | null;
  session: string | null;
  object: string | null;
  reason: string | null;
}

export function createAuditLog(db: Database, log: Log): AuditLog {
  let pending: AuditEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  let isFull = false;
  const listeners = new Set<() => void>();

  /** Writes the pending entries of reads first, so that the table has the order of the calls. */
  async function write(entries: readonly AuditEntry[]): Promise<void> {
    const earlier = pending;
    pending = [];
    if (earlier.length + entries.length === 0) return;
    try {
      // No call has waited for its line to be on disk, so that a batch does not hold up others for that.
      await db.write(
        (tx) => {
          for (const entry of earlier) insert(tx, entry);
          for (const entry of entries) insert(tx, entry);
        },
        { durable: entries.length > 0 },
      );
      isFailing = false;
      for (const listener of listeners) listener();
    } catch (error) {
      pending = [...earlier, ...pending];
      trimAndScheduleFlush();
      throw error;
    }
  }

  function trimAndScheduleFlush(): void {
    const excess = pending.length - MAX_PENDING;
    if (excess > 0) pending.splice(0, excess);
    if (pending.length > 0) timer ??= setTimeout(() => void flushOrWarn(), isFailing ? RETRY_MS : FLUSH_MS).unref();
    if (pending.length < MAX_BATCH || isFailing || isFull) return;
    isFull = true;
    // After the call that made it full.
    setImmediate(() => void flushOrWarn());
  }

  async function flushOrWarn(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    isFull = false;
    try {
      await write([]);
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Could not write audit entries of reads; retrying.');
      isFailing = true;
    }
  }

  return {
    async append(entry) {
      if (entry.effect !== 'reads' && !entry.isBatched) return write([entry]);
      pending.push(entry);
      trimAndScheduleFlush();
    },
    async list(filter = {}) {
      await flushOrWarn();
      return db.read((reader) => listAudit(reader, filter));
    },
    async find(position) {
      await flushOrWarn();
      const row = await db.read((reader) => reader.get<AuditRow>('select * from audit where position = ?', position));
      return row && toEntry(row);
    },
    async listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    flush: () => write([]),
    prune: (before) => pruneOldest(db, 'audit', before),
  };
}

function listAudit(reader: Reader, filter: AuditFilter): StoredAuditEntry[] {
  const { principal, operation, effect, result, since, until, chat, before, after, limit = DEFAULT_LIMIT } = filter;
  const conditions: [string, string | number | undefined][] = [
    ['principal = ?', principal],
    ['operation = ?', operation],
    ['effect = ?', effect],
    ['at >= ?', since],
    ['at < ?', until],
    [`? in (object ->> 'chat', object ->> 'where', object ->> 'uri')`, chat],
    ['position < ?', before],
    ['position > ?', after],
  ];
  const given = conditions.filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  const where = [result === undefined ? 'true' : RESULTS[result], ...given.map(([sql]) => sql)].join(' and ');
  return reader
    .all<AuditRow>(
      `select * from audit where ${where} order by position desc limit ?`,
      ...given.map(([, value]) => value),
      limit,
    )
    .map(toEntry);
}

const REFUSALS = `('FORBIDDEN', 'UNAUTHORIZED', 'NO_AGENT_IDENTITY')`;
const RESULTS = {
  ok: `result = 'ok'`,
  refused: `result in ${REFUSALS}`,
  failed: `result <> 'ok' and result not in ${REFUSALS}`,
};

function insert(tx: Transaction, entry: AuditEntry): void {
  const { at, principal, door, operation, effect, durationMs, result } = entry;
  const { identity = null, session = null, object, reason = null } = entry;
  tx.run(
    `insert into audit (at, principal, door, operation, effect, duration_ms, result, identity, session, object, reason)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    at,
    principal,
    door,
    operation,
    effect,
    durationMs,
    result,
    identity,
    session,
    object === undefined ? null : JSON.stringify(object),
    reason,
  );
}

function toEntry({ duration_ms: durationMs, identity, session, object, reason, ...row }: AuditRow): StoredAuditEntry {
  return {
    ...row,
    durationMs,
    ...(identity === null ? {} : { identity }),
    ...(session === null ? {} : { session }),
    ...(object === null ? {} : { object: JSON.parse(object) as Record<string, string> }),
    ...(reason === null ? {} : { reason }),
  };
}

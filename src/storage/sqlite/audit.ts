import type { Log } from '../../lib/log.ts';
import type { AuditEntry, AuditLog } from '../../system/ports.ts';
import type { Database, Transaction } from './database.ts';
import { pruneOldest } from './prune.ts';

const FLUSH_MS = 250;
const RETRY_MS = 5_000;
const DEFAULT_LIMIT = 1_000;
/** Reads continue while the disk is full; at most this many of their audit lines are kept in memory until it is not. */
const MAX_PENDING = 10_000;

interface AuditRow extends Omit<AuditEntry, 'durationMs'> {
  position: number;
  duration_ms: number;
}

export function createAuditLog(db: Database, log: Log): AuditLog {
  let pending: AuditEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  /** Writes the pending entries of reads first, so that the table has the order of the calls. */
  async function write(entries: readonly AuditEntry[]): Promise<void> {
    const earlier = pending;
    pending = [];
    if (earlier.length + entries.length === 0) return;
    try {
      await db.write((tx) => {
        for (const entry of earlier) insert(tx, entry);
        for (const entry of entries) insert(tx, entry);
      });
      isFailing = false;
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
  }

  async function flushOrWarn(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    try {
      await write([]);
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Could not write audit entries of reads; retrying.');
      isFailing = true;
    }
  }

  return {
    async append(entry) {
      if (entry.effect !== 'reads') return write([entry]);
      pending.push(entry);
      trimAndScheduleFlush();
    },
    async list({ limit = DEFAULT_LIMIT, principal } = {}) {
      await flushOrWarn();
      const where = principal === undefined ? 'true' : 'principal = ?';
      const values = principal === undefined ? [] : [principal];
      const rows = await db.read((reader) =>
        reader.all<AuditRow>(`select * from audit where ${where} order by position desc limit ?`, ...values, limit),
      );
      return rows.map(toEntry);
    },
    flush: () => write([]),
    prune: (before) => pruneOldest(db, 'audit', before),
  };
}

function insert(tx: Transaction, { at, principal, door, operation, effect, durationMs, result }: AuditEntry): void {
  tx.run(
    `insert into audit (at, principal, door, operation, effect, duration_ms, result) values (?, ?, ?, ?, ?, ?, ?)`,
    at,
    principal,
    door,
    operation,
    effect,
    durationMs,
    result,
  );
}

function toEntry({ position: _, duration_ms: durationMs, ...row }: AuditRow): AuditEntry {
  return { ...row, durationMs };
}

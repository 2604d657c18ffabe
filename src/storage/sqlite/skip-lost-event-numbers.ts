import { uptime } from 'node:os';
import { markOf, setMark } from './chat/marks.ts';
import type { Database } from './database.ts';

/** More than can be assigned in the time that an operating system buffers writes. */
const SKIPPED_NUMBERS = 10_000;
const MINUTE_MS = 60_000;
/** Clock corrections shift the computed boot time. */
const TOLERANCE_MINUTES = 2;

/**
 * Commits that are not durable may be lost in a power loss, together with events that a remote client has already
 * received. So once after each boot some event numbers are skipped, and no number is used twice.
 */
export async function skipLostEventNumbers(db: Database, boot: number = minuteOfBoot()): Promise<void> {
  const isSameBoot = (mark: number) => Math.abs(mark - boot) <= TOLERANCE_MINUTES;
  if (await db.read((reader) => isSameBoot(markOf(reader, 'boot')))) return;
  await db.write((tx) => {
    if (isSameBoot(markOf(tx, 'boot'))) return;
    tx.run(`update sqlite_sequence set seq = seq + ? where name = 'events'`, SKIPPED_NUMBERS);
    setMark(tx, 'boot', boot);
  });
}

function minuteOfBoot(): number {
  return Math.round((Date.now() - uptime() * 1_000) / MINUTE_MS);
}

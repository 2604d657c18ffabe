import { uptime } from 'node:os';
import { markOf, setMark } from './chat/marks.ts';
import type { Database } from './database.ts';

/** More than could be given within the time that a system keeps what it has not written to the disk. */
const SKIPPED_NUMBERS = 10_000;
const MINUTE_MS = 60_000;
/** Clocks are put right now and then. */
const TOLERANCE_MINUTES = 2;

/**
 * What does not wait for the disk may be lost in a power cut, and with it events that somebody far away was told of. So
 * once after each start of the machine some of their numbers are passed over, and none is given twice.
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

import { fstatSync, ftruncateSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentStatus, STATUSES } from '../agent.ts';
import { cannot } from '../repository/repository-file.ts';
import { linesOf, writeAt } from './file-lines.ts';
import { escapeLikeGo, parseFields, timestamp } from './line.ts';
import { withLockedFile } from './locked-file.ts';
import { quarantine, type Range, type Warn } from './quarantine.ts';

/** The status of an agent, as the original program stores it. */
export interface Presence {
  name: string;
  status: AgentStatus;
  /** Milliseconds since 1970, like all timestamps here. */
  updatedAt: number;
  /** When it was last notified of mail; missing for never. */
  notifiedAt?: number;
  lastReadAt?: number;
}

/** Tens of thousands of agents. It is read as a whole. */
const MAX_BYTES = 4 * 1024 * 1024;
const NEVER = '0001-01-01T00:00:00Z';

export function readPresences(folder: string): Promise<readonly Presence[]> {
  return withLockedFile(fileOf(folder), { kind: 'shared', maxBytes: MAX_BYTES }, (file) => parse(file).presences).then(
    (all) => all ?? [],
  );
}

/** Changes the entries of all agents under the file's lock. */
export async function changePresences(
  folder: string,
  warn: Warn,
  change: (presences: readonly Presence[]) => readonly Presence[],
): Promise<void> {
  const path = fileOf(folder);
  await withLockedFile(path, { kind: 'exclusive', create: true, maxBytes: MAX_BYTES }, (file) => {
    const { presences, waste } = parse(file);
    quarantine(file, path, waste, warn);
    try {
      overwrite(file, Buffer.from(change(presences).map(encode).join('')));
    } catch (error) {
      throw cannot('be written', path, error);
    }
  });
}

/** Changes an agent's entry. A new one continues the newest of the agent's other names, or begins as `ready`. */
export function changePresence(
  folder: string,
  [name = '', ...others]: readonly string[],
  change: (presence: Presence) => Presence,
  { now, warn }: { now: number; warn: Warn },
): Promise<void> {
  return changePresences(folder, warn, (all) => {
    const known = all.find((each) => each.name === name);
    const before = known ?? newestOf(all, others) ?? { status: 'ready', updatedAt: now };
    const changed = change({ ...before, name });
    return known ? all.map((each) => (each === known ? changed : each)) : [...all, changed];
  });
}

/** What an agent with these names has said last. */
export function newestOf(presences: readonly Presence[], names: readonly string[]): Presence | undefined {
  return presences.filter(({ name }) => names.includes(name)).toSorted((a, b) => b.updatedAt - a.updatedAt)[0];
}

function fileOf(folder: string): string {
  return join(folder, 'recipients.jsonl');
}

function encode({ name, status, updatedAt, notifiedAt, lastReadAt }: Presence): string {
  const text = JSON.stringify({
    recipient: name,
    status,
    updated_at: timestamp(updatedAt),
    notified_at: notifiedAt === undefined ? NEVER : timestamp(notifiedAt),
    ...(lastReadAt === undefined ? {} : { last_read_at: lastReadAt }),
  });
  return `${escapeLikeGo(text)}\n`;
}

function parse(file: number): { presences: Presence[]; waste: Range[] } {
  const presences: Presence[] = [];
  const waste: Range[] = [];
  for (const { bytes, start, end } of linesOf(file)) {
    const presence = parsePresence(bytes.toString('utf8'));
    if (presence) presences.push(presence);
    else if (bytes.some((byte) => byte !== 13)) waste.push({ start, end });
  }
  return { presences, waste };
}

function parsePresence(line: string): Presence | undefined {
  const fields = parseFields(line);
  const { recipient: name, status, updated_at, notified_at, last_read_at } = fields ?? {};
  if (typeof name !== 'string' || !isStatus(status)) return undefined;
  const notifiedAt = timeOf(notified_at);
  return {
    name,
    status,
    updatedAt: timeOf(updated_at) ?? 0,
    ...(notifiedAt === undefined ? {} : { notifiedAt }),
    ...(typeof last_read_at === 'number' && last_read_at > 0 ? { lastReadAt: last_read_at } : {}),
  };
}

function isStatus(value: unknown): value is AgentStatus {
  return (STATUSES as readonly unknown[]).includes(value);
}

function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' && value !== NEVER ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Truncates last: a process that is killed in between leaves no empty file. */
function overwrite(file: number, content: Buffer): void {
  const { size } = fstatSync(file);
  try {
    // The part that makes the file longer is written first, because that fails on a full disk.
    writeAt(file, content.subarray(Math.min(size, content.length)), size);
  } catch (error) {
    ftruncateSync(file, size);
    throw error;
  }
  writeAt(file, content.subarray(0, size), 0);
  ftruncateSync(file, content.length);
}

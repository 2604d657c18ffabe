import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { isRecord } from '../../lib/is-record.ts';
import { replaceFile } from '../../lib/replace-file.ts';
import type { RegistryCache } from './registry-port.ts';

const MAX_ENTRIES = 200;
const ENDING = '.registry.json';

/** A cache that ends with the process. The oldest entries leave first. */
export function memoryCache(maxEntries = MAX_ENTRIES): RegistryCache {
  const entries = new Map<string, { value: unknown; at: number }>();
  return {
    async get(key) {
      return entries.get(key);
    },
    async set(key, value, at) {
      entries.delete(key);
      entries.set(key, { value, at });
      for (const oldest of [...entries.keys()].slice(0, Math.max(0, entries.size - maxEntries))) entries.delete(oldest);
    },
  };
}

/** A cache of files in a folder that has nothing else in it. What cannot be read or written is as if it were not there. */
export function fileCache(folder: string, maxEntries = MAX_ENTRIES): RegistryCache {
  const pathOf = (key: string) => join(folder, `${createHash('sha256').update(key).digest('hex')}${ENDING}`);
  return {
    async get(key) {
      const text = await readFile(pathOf(key), 'utf8').catch(() => undefined);
      return text === undefined ? undefined : parsedEntry(text, key);
    },
    async set(key, value, at) {
      await replaceFile(pathOf(key), JSON.stringify({ key, at, value }), 0o600).catch(() => false);
      await removeOldest(folder, maxEntries).catch(() => {});
    },
  };
}

/**
 * The value of a key: cached if it is new enough, else loaded. If that fails, one from the cache of any age is better
 * than none; `problem` is then the failure.
 */
export async function throughCache<T>(
  { cache, clock }: { cache: RegistryCache; clock: Clock },
  key: string,
  maxAgeMs: number,
  load: () => Promise<T>,
): Promise<{ value: T; problem?: AppError }> {
  const known = await cache.get(key);
  const age = known === undefined ? Number.POSITIVE_INFINITY : clock.now() - known.at;
  if (known && age >= 0 && age < maxAgeMs) return { value: known.value as T };
  try {
    const value = await load();
    await cache.set(key, value, clock.now());
    return { value };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code === 'NOT_FOUND' || thrown.code === 'TIMEOUT') throw thrown;
    if (known === undefined) throw thrown;
    return { value: known.value as T, problem: thrown };
  }
}

function parsedEntry(text: string, key: string): { value: unknown; at: number } | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    if (!isRecord(entry) || entry.key !== key || typeof entry.at !== 'number') return undefined;
    return { value: entry.value, at: entry.at };
  } catch {
    return undefined;
  }
}

async function removeOldest(folder: string, maxEntries: number): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(ENDING));
  if (names.length <= maxEntries) return;
  const files = await Promise.all(
    names.map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  const oldest = files.toSorted((a, b) => a.at - b.at).slice(0, files.length - maxEntries);
  await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
}

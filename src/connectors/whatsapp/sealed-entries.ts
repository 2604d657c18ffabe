import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import type { Memory } from '../connector.ts';

/** Named values, encrypted in the memory of the source. */
export interface SealedEntries {
  get(name: string): string | undefined;
  /** Names that begin so, without this beginning, and their values. */
  under(prefix: string): Array<[name: string, value: string]>;
  /** Effective immediately, and stored soon. Changes of one call are stored together. */
  change(changes: Iterable<readonly [name: string, value: string | undefined]>): void;
  /** Resolves when all changes so far are durable. */
  flush(): Promise<void>;
}

interface SealedEntriesParts {
  memory: Memory;
  /** 32 bytes. */
  key: Buffer;
  /** Changes could not be stored. */
  onFailure(error: unknown): void;
}

type Changes = Array<[name: string, value: string | null]>;

interface Row {
  sequence: number;
  changes: Changes;
}

const SNAPSHOT = 'state';
/** After so many rows of changes everything is written again. */
const ROWS = 64;

/**
 * A snapshot and rows of changes since then. Each row is written in one transaction, so that what belongs together, such
 * as a ratchet and the message that advanced it, is never separated.
 */
export async function openSealedEntries({ memory, key, onFailure }: SealedEntriesParts): Promise<SealedEntries> {
  const seal = createSeal(key);
  const entries = new Map<string, string>();
  const changed = new Set<string>();
  let sequence = 0;
  let writing: Promise<void> | undefined;

  async function read(name: string): Promise<Row | undefined> {
    const text = await memory.get(name);
    const plain = text === undefined ? undefined : seal.open(name, text);
    return plain === undefined ? undefined : (JSON.parse(plain) as Row);
  }

  async function load(): Promise<void> {
    const names = Array.from({ length: ROWS - 1 }, (_, index) => nameOf(index + 1));
    const [snapshot, ...rows] = await Promise.all([SNAPSHOT, ...names].map(read));
    const since = snapshot?.sequence ?? 0;
    const later = rows.filter((row) => row !== undefined && row.sequence > since) as Row[];
    later.sort((one, other) => one.sequence - other.sequence);
    for (const row of snapshot ? [snapshot, ...later] : later) {
      sequence = row.sequence;
      for (const [name, value] of row.changes) apply(name, value ?? undefined);
    }
  }

  function apply(name: string, value: string | undefined): void {
    if (value === undefined) entries.delete(name);
    else entries.set(name, value);
  }

  async function writeAll(): Promise<void> {
    // Changes of one turn of the event loop are written together.
    await Promise.resolve();
    try {
      while (changed.size > 0) {
        const next = sequence + 1;
        const isSnapshot = next % ROWS === 0;
        const names = isSnapshot ? entries.keys() : changed;
        const changes: Changes = Array.from(names, (name) => [name, entries.get(name) ?? null]);
        changed.clear();
        const name = isSnapshot ? SNAPSHOT : nameOf(next % ROWS);
        await memory.set(name, seal.close(name, JSON.stringify({ sequence: next, changes } satisfies Row)));
        sequence = next;
      }
    } catch (error) {
      onFailure(error);
      throw error;
    } finally {
      writing = undefined;
    }
  }

  function flush(): Promise<void> {
    if (changed.size > 0 || writing) writing ??= writeAll();
    return writing ?? Promise.resolve();
  }

  await load();
  return {
    get: (name) => entries.get(name),
    under: (prefix) =>
      [...entries]
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name.slice(prefix.length), value]),
    change(changes) {
      for (const [name, value] of changes) {
        apply(name, value);
        changed.add(name);
      }
      flush().catch(() => {});
    },
    flush,
  };
}

function nameOf(row: number): string {
  return `${SNAPSHOT}.${row}`;
}

/** Rows of an earlier link have another key, and are ignored. */
function createSeal(key: Buffer) {
  const id = createHash('sha256').update('name of the key').update(key).digest('hex').slice(0, 16);
  return {
    close(name: string, text: string): string {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(name));
      const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return `${id}.${Buffer.concat([iv, cipher.getAuthTag(), content]).toString('base64')}`;
    },
    open(name: string, sealed: string): string | undefined {
      const [keyId, text = ''] = sealed.split('.');
      if (keyId !== id) return undefined;
      try {
        const bytes = Buffer.from(text, 'base64');
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12)).setAAD(Buffer.from(name));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch (cause) {
        throw new AppError('SERVICE_UNAVAILABLE', 'The stored state of WhatsApp is damaged.', {
          cause,
          hint: 'Log out and link the account again.',
        });
      }
    },
  };
}

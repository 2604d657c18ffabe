import { join } from 'node:path';
import { isRecord } from '../lib/is-record.ts';
import { type Derivation, isDerivation } from './passphrase.ts';
import { readPrivate, writePrivate } from './private-files.ts';
import { damaged, parseJson } from './sealed-items.ts';

export const PROVIDERS = ['keychain', 'file', 'passphrase'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** Where the master key is stored. Decided once, when the first secret is stored. */
export interface ProviderRecord {
  provider: Provider;
  /** Account name in the keychain. */
  account?: string;
  /** Newest last; two only during a rotation. */
  keys: readonly KeyRecord[];
}

export interface KeyRecord {
  id: string;
  derivation?: Derivation;
}

export const RECORD_FILE = 'provider.json';

export async function readRecord(folder: string): Promise<ProviderRecord | undefined> {
  const path = join(folder, RECORD_FILE);
  const bytes = await readPrivate(path);
  if (!bytes) return undefined;
  const content = parseJson(bytes);
  if (!isRecord(content) || content.v !== 1) throw damaged(path);
  const { v: _, ...record } = content;
  if (!isProviderRecord(record)) throw damaged(path);
  return record;
}

export function writeRecord(folder: string, record: ProviderRecord): Promise<void> {
  return writePrivate(join(folder, RECORD_FILE), `${JSON.stringify({ v: 1, ...record }, undefined, 1)}\n`);
}

function isProviderRecord(record: object): record is ProviderRecord {
  const { provider, account, keys } = record as Partial<Record<keyof ProviderRecord, unknown>>;
  if (!PROVIDERS.some((known) => known === provider) || !Array.isArray(keys) || keys.length === 0) return false;
  if (provider === 'keychain' && typeof account !== 'string') return false;
  return keys.every(
    (key: unknown) =>
      isRecord(key) &&
      typeof key.id === 'string' &&
      (provider !== 'passphrase' || (isRecord(key.derivation) && isDerivation(key.derivation))),
  );
}

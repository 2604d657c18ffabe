import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { disableCoreDumps } from '../lib/core-dumps.ts';
import type { Log } from '../lib/log.ts';
import { createKeyProviders, KEY_FILE, readKeyFile } from './key-providers.ts';
import type { Keychain } from './keychain.ts';
import { groupOfFile } from './names.ts';
import { type EnvironmentVariables, hasPassphrase } from './passphrase.ts';
import { isPrivateFolder } from './private-files.ts';
import {
  type KeyRecord,
  PROVIDERS,
  type Provider,
  type ProviderRecord,
  RECORD_FILE,
  readRecord,
  writeRecord,
} from './provider-record.ts';
import type { KeyRing, MasterKey } from './sealed-items.ts';

/** The master key of the secrets store; two keys during a rotation. */
export interface MasterKeys {
  /** The chosen provider, read without accessing it; undefined before the first secret. */
  provider(): Promise<Provider | undefined>;
  /** Read from the provider on first use, then cached. */
  load(): Promise<KeyState>;
  invalidate(): void;
  /** The following require the lock. The first secret decides where the key is stored. */
  loadOrCreate(): Promise<KeyState>;
  addKey(): Promise<KeyRing>;
  dropOldKeys(): Promise<void>;
}

export interface KeyState {
  ring: KeyRing;
  /** A rotation was started and not finished. */
  unfinished: boolean;
}

interface Loaded {
  record: ProviderRecord;
  ring: KeyRing;
}

interface MasterKeyParts {
  folder: string;
  env: EnvironmentVariables;
  log: Log;
  keychain: Keychain;
  onPassphrase(passphrase: string): void;
}

const VARIABLE = 'SWITCHBOARD_SECRETS_PROVIDER';

export function createMasterKeys(parts: MasterKeyParts): MasterKeys {
  const { folder, env, log } = parts;
  const providers = createKeyProviders(parts);
  let loading: Promise<Loaded> | undefined;
  let warned = false;

  function invalidate(): void {
    loading = undefined;
  }

  function loaded(): Promise<Loaded> {
    if (loading) return loading;
    const started = loadRing();
    loading = started;
    started.catch(() => {
      if (loading === started) invalidate();
    });
    return started;
  }

  async function loadRing(): Promise<Loaded> {
    const record = await findRecord(folder);
    if (!record) throw recordMissing(folder);
    warnIfIgnored(record.provider);
    await disableCoreDumps();
    const ring = await providers[record.provider].load(record);
    if (ring.some(({ id }) => record.keys.some((key) => key.id === id))) return { record, ring };
    // Another process may have finished a rotation between the two reads.
    if (sameKeys(record, await findRecord(folder))) throw wrongKey(record, folder);
    return loadRing();
  }

  /** The provider is chosen once. This warns a user who changed the variables later that they have no effect. */
  function warnIfIgnored(provider: Provider): void {
    const wanted = hasPassphrase(env) ? 'passphrase' : env[VARIABLE];
    if (warned || !wanted || wanted === provider) return;
    warned = true;
    log.warn({ provider, wanted }, `The master key remains with the provider it was created with (${provider}).`);
  }

  async function save(record: ProviderRecord, ring: KeyRing): Promise<void> {
    await providers[record.provider].save(record, ring);
    loading = Promise.resolve({ record, ring });
  }

  async function adoptOrCreate(): Promise<void> {
    const found = await findRecord(folder);
    if (!found) return create();
    await writeRecord(folder, found);
    invalidate();
  }

  async function create(): Promise<void> {
    const files = await readdir(folder);
    if (files.some((file) => groupOfFile(file))) throw recordMissing(folder);
    const provider = await chooseProvider(parts);
    await disableCoreDumps();
    const key = await providers[provider].create();
    const account = provider === 'keychain' ? { account: `master-key-${randomBytes(8).toString('hex')}` } : {};
    const record: ProviderRecord = { provider, ...account, keys: [asRecord(key)] };
    await save(record, [key]);
    await writeRecord(folder, record);
    log.info({ provider }, `Secrets are ${describeProvider(provider, folder)}.`);
  }

  return {
    provider: async () => (await findRecord(folder))?.provider,
    load: async () => stateOf(await loaded()),
    invalidate,
    async loadOrCreate() {
      const record = await readRecord(folder);
      if (!record) await adoptOrCreate();
      else if (!sameKeys(record, (await loading?.catch(() => undefined))?.record)) invalidate();
      return stateOf(await loaded());
    },
    // The record lists a key before it is used and until no item needs it. So at each step all keys in use are
    // available, and after a crash the rotation can continue with the newest.
    async addKey() {
      const { record, ring } = await loaded();
      const key = await providers[record.provider].create();
      const withBoth = { ...record, keys: [...record.keys, asRecord(key)] };
      invalidate();
      await writeRecord(folder, withBoth);
      await save(withBoth, [...ring, key]);
      return [...ring, key];
    },
    async dropOldKeys() {
      const { record, ring } = await loaded();
      const newest = ring.slice(-1);
      const withNewest = { ...record, keys: newest.map(asRecord) };
      invalidate();
      await save(withNewest, newest);
      await writeRecord(folder, withNewest);
    },
  };
}

export function describeProvider(provider: Provider | undefined, folder: string): string {
  switch (provider) {
    case 'keychain':
      return 'encrypted, with the key in the keychain of this system';
    case 'file':
      return `encrypted, with the key in ${join(folder, KEY_FILE)}, which this user alone can read`;
    case 'passphrase':
      return 'encrypted with a passphrase, which is stored nowhere';
    case undefined:
      return 'none yet; the first one decides where the key is stored';
  }
}

/**
 * A key file without a record is still usable: it is of a store whose creation was interrupted, or of a partial
 * backup.
 */
async function findRecord(folder: string): Promise<ProviderRecord | undefined> {
  if (!(await isPrivateFolder(folder))) return undefined;
  const record = await readRecord(folder);
  if (record) return record;
  const ring = await readKeyFile(folder);
  return ring && { provider: 'file', keys: ring.map(asRecord) };
}

async function chooseProvider({ env, keychain, log }: MasterKeyParts): Promise<Provider> {
  const wanted = PROVIDERS.find((provider) => provider === env[VARIABLE]);
  if (env[VARIABLE] && !wanted) {
    throw new AppError('VALIDATION_ERROR', `${VARIABLE} must be one of ${PROVIDERS.join(', ')}.`, { field: VARIABLE });
  }
  if (hasPassphrase(env) && wanted && wanted !== 'passphrase') {
    throw new AppError('VALIDATION_ERROR', `${VARIABLE} is ${wanted}, but a passphrase is set too.`, {
      field: VARIABLE,
      hint: 'Remove one of them.',
    });
  }
  if (hasPassphrase(env)) return 'passphrase';
  if (wanted && wanted !== 'keychain') return wanted;
  try {
    await keychain.probe();
    return 'keychain';
  } catch (cause) {
    if (wanted) throw keychainUnusable(cause);
    log.info({ err: cause }, 'The system keychain cannot be used; storing the master key in a file.');
    return 'file';
  }
}

function stateOf({ record, ring }: Loaded): KeyState {
  return { ring, unfinished: ring.length > 1 || record.keys.length > 1 };
}

function asRecord({ id, derivation }: MasterKey): KeyRecord {
  return derivation ? { id, derivation } : { id };
}

function sameKeys(one: ProviderRecord, other: ProviderRecord | undefined): boolean {
  return JSON.stringify(one.keys) === JSON.stringify(other?.keys);
}

function keychainUnusable(cause: unknown): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${VARIABLE} is keychain, but the keychain cannot be used.`, {
    cause,
    hint: `Unlock the keychain, or set ${VARIABLE}=file.`,
  });
}

function recordMissing(folder: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `There are secrets in ${folder}, but ${RECORD_FILE} is missing there.`, {
    hint: 'Restore it from a backup. It records where the key is stored.',
  });
}

function wrongKey({ provider }: ProviderRecord, folder: string): AppError {
  if (provider === 'passphrase') {
    return new AppError('SERVICE_UNAVAILABLE', 'The passphrase is not the one the secrets were stored with.');
  }
  const place = provider === 'file' ? join(folder, KEY_FILE) : 'in the keychain';
  return new AppError('SERVICE_UNAVAILABLE', `The key ${place} is not the one the secrets were stored with.`, {
    hint: 'Restore the right one from a backup.',
  });
}

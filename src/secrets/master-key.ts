import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
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

/** The master key of the store: where it is, how it gets there, and two of them while it is rotated. */
export interface MasterKeys {
  /** Which provider was chosen, without asking it for anything; none before the first secret. */
  provider(): Promise<Provider | undefined>;
  /** Asked of the provider on first use, then remembered. */
  load(): Promise<KeyState>;
  invalidate(): void;
  /** The following are for the holder of the lock. The first secret of all decides where the key is. */
  loadOrCreate(): Promise<KeyState>;
  addKey(): Promise<KeyRing>;
  dropOldKeys(): Promise<void>;
}

export interface KeyState {
  ring: KeyRing;
  /** A rotation was begun and not ended. */
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
    const ring = await providers[record.provider].load(record);
    if (ring.some(({ id }) => record.keys.some((key) => key.id === id))) return { record, ring };
    // Another process may have ended a rotation between the two reads.
    if (sameKeys(record, await findRecord(folder))) throw wrongKey(record, folder);
    return loadRing();
  }

  /** The choice is made once; whoever changes the variables later should not believe that it changed anything. */
  function warnIfIgnored(provider: Provider): void {
    const wanted = hasPassphrase(env) ? 'passphrase' : env[VARIABLE];
    if (warned || !wanted || wanted === provider) return;
    warned = true;
    log.warn({ provider, wanted }, `The key of the secrets stays where it was put first (${provider}).`);
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
    // The record names a key before it is used and until no item needs it: at each step, every key that sealed
    // something is in its place, and whoever comes after a crash goes on with the newest that is there.
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
      return 'none yet; the first one decides where the key is kept';
  }
}

/** Without its record a key file still says what it is: of a store whose creation was cut short, or a partial backup. */
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
    throw new AppError('VALIDATION_ERROR', `${VARIABLE} says ${wanted}, but a passphrase is set too.`, {
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
    log.info({ err: cause }, 'The system keychain cannot be used here; the key of the secrets goes into a file.');
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
  return new AppError('SERVICE_UNAVAILABLE', `${VARIABLE} says keychain, but the keychain could not be used.`, {
    cause,
    hint: `Unlock the keychain, or set ${VARIABLE}=file.`,
  });
}

function recordMissing(folder: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `There are secrets in ${folder}, but ${RECORD_FILE} is missing there.`, {
    hint: 'Restore it from a backup; it says where the key is.',
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

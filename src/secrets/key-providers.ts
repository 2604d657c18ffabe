import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Keychain } from './keychain.ts';
import { type Derivation, deriveKey, type EnvironmentVariables, newDerivation, readPassphrase } from './passphrase.ts';
import { readPrivate, writePrivate } from './private-files.ts';
import type { Provider, ProviderRecord } from './provider-record.ts';
import { damaged, type KeyRing, type MasterKey, masterKey } from './sealed-items.ts';

/** A storage location of the master key. During a rotation it holds two keys; each change is atomic. */
export interface KeyProvider {
  load(record: ProviderRecord): Promise<KeyRing>;
  save(record: ProviderRecord, ring: KeyRing): Promise<void>;
  /** Creates a new key. */
  create(): Promise<MasterKey>;
}

export const KEY_FILE = 'master.key';
const KEY_BYTES = 32;

interface KeyProviderParts {
  folder: string;
  env: EnvironmentVariables;
  keychain: Keychain;
  /** Receives every passphrase, so that it can be masked. */
  onPassphrase(passphrase: string): void;
}

export function createKeyProviders({
  folder,
  env,
  keychain,
  onPassphrase,
}: KeyProviderParts): Record<Provider, KeyProvider> {
  return {
    file: fileProvider(folder),
    keychain: keychainProvider(keychain),
    passphrase: passphraseProvider(env, onPassphrase),
  };
}

/** The keys in `master.key`; undefined if the file does not exist. */
export async function readKeyFile(folder: string): Promise<KeyRing | undefined> {
  const path = join(folder, KEY_FILE);
  const bytes = await readPrivate(path);
  return bytes && splitKeys(bytes, path);
}

function fileProvider(folder: string): KeyProvider {
  const path = join(folder, KEY_FILE);
  return {
    async load() {
      const ring = await readKeyFile(folder);
      if (ring) return ring;
      throw new AppError('SERVICE_UNAVAILABLE', `The master key file ${path} is missing.`, {
        hint: `Restore it from a backup. Without it no secret in ${folder} can be read. To start over, move that folder away.`,
      });
    },
    save: (_, ring) => writePrivate(path, joinKeys(ring)),
    create: createRandom,
  };
}

function keychainProvider(keychain: Keychain): KeyProvider {
  return {
    async load({ account = '' }) {
      const text = await keychain.get(account).catch(keychainFailed);
      if (text !== undefined) return splitKeys(Buffer.from(text, 'base64'), `The keychain's entry ${account}`);
      throw new AppError('SERVICE_UNAVAILABLE', `The keychain has no entry "${account}" of "switchboard".`, {
        hint: 'Run as the user, and on the machine, that stored the secrets, or restore the keychain from a backup.',
      });
    },
    async save({ account = '' }, ring) {
      await keychain.set(account, joinKeys(ring).toString('base64')).catch(keychainFailed);
    },
    create: createRandom,
  };
}

function passphraseProvider(env: EnvironmentVariables, onPassphrase: (passphrase: string) => void): KeyProvider {
  const passphrase = async () => {
    const text = await readPassphrase(env);
    onPassphrase(text);
    return text;
  };
  return {
    async load({ keys }) {
      const text = await passphrase();
      const ring: MasterKey[] = [];
      // Sequentially: each derivation takes 128 MB.
      for (const { derivation } of keys) if (derivation) ring.push(await derive(text, derivation));
      return ring;
    },
    // The record has the salts and the user has the passphrase, so there is nothing to save.
    async save() {},
    async create() {
      return derive(await passphrase(), newDerivation());
    },
  };
}

async function derive(passphrase: string, derivation: Derivation): Promise<MasterKey> {
  return { ...masterKey(await deriveKey(passphrase, derivation)), derivation };
}

async function createRandom(): Promise<MasterKey> {
  return masterKey(randomBytes(KEY_BYTES));
}

function joinKeys(ring: KeyRing): Buffer {
  return Buffer.concat(ring.map(({ key }) => key.export()));
}

function splitKeys(bytes: Buffer, place: string): KeyRing {
  const count = bytes.length / KEY_BYTES;
  if (count !== 1 && count !== 2) throw damaged(place);
  return Array.from({ length: count }, (_, index) =>
    masterKey(bytes.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES)),
  );
}

function keychainFailed(cause: unknown): never {
  throw new AppError('SERVICE_UNAVAILABLE', 'The master key is in the system keychain, which did not return it.', {
    cause,
    hint: 'Unlock the keychain and run inside the same desktop session. Without a desktop, see docs/secrets.md.',
  });
}

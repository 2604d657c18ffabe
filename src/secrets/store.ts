import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createKeychain, type Keychain } from './keychain.ts';
import { createFolderLock } from './lock.ts';
import { createMasker, type Masker } from './masker.ts';
import { createMasterKeys, describeProvider } from './master-key.ts';
import {
  assertSecretName,
  assertSecretValue,
  fileOfGroup,
  type Group,
  groupOfFile,
  isSecretName,
  parseGroup,
} from './names.ts';
import type { EnvironmentVariables } from './passphrase.ts';
import { isPrivateFolder, makePrivateFolder, readPrivate, removePrivate, writePrivate } from './private-files.ts';
import type { Provider } from './provider-record.ts';
import { resolveReferences } from './references.ts';
import { itemsAsText, type KeyRing, parseItems, type SealedItems, seal, unseal } from './sealed-items.ts';

/**
 * The secrets of one home. Opening it reads nothing: the key is loaded when a value is read or written, and only
 * `set` creates files. All values are added to `masker`.
 */
export interface Secrets {
  /** The provider of the master key; undefined before the first secret. */
  provider(): Promise<Provider | undefined>;
  /** The same as text for the user, to follow "Secrets are" or "Secrets:". */
  describe(): Promise<string>;
  /** Durable when it returns. */
  set(group: string, name: string, value: string): Promise<void>;
  get(group: string, name: string): Promise<string | undefined>;
  /** Returns whether the secret existed. */
  delete(group: string, name: string): Promise<boolean>;
  deleteGroup(group: string): Promise<boolean>;
  /** Names only, sorted by group and name. */
  list(group?: string): Promise<readonly SecretEntry[]>;
  /** Encrypts everything with a new master key. If it is interrupted, the next use continues it. */
  rotate(): Promise<{ secrets: number }>;
  /** Replaces `${secret:NAME}` (of the group `shared`) and `${env:NAME}`; an error names what is missing. */
  resolve(text: string): Promise<string>;
  readonly masker: Masker;
}

interface SecretEntry {
  group: string;
  name: string;
  /** ISO 8601, UTC. */
  updated: string;
}

interface SecretsOptions {
  home: string;
  env: EnvironmentVariables;
  log: Log;
  clock: Clock;
  /** Shared with the log and the doors; a new one by default. */
  masker?: Masker;
  keychain?: Keychain;
}

/** A rotation in another process can replace the key and the file between two reads, but not repeatedly. */
const MAX_READS = 3;
/**
 * Names of environment variables whose values are masked once they were referenced. Values of others, such as HOME,
 * occur in harmless text.
 */
const SECRET_VARIABLE = /(^|_)(TOKEN|PAT|KEY|APIKEY|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH)(_|$)/i;

export function openSecrets(options: SecretsOptions): Secrets {
  const { home, env, log, clock } = options;
  const masker = options.masker ?? createMasker();
  const folder = join(home, 'secrets');
  const lock = createFolderLock(folder);
  const keychain = options.keychain ?? createKeychain(env);
  const keys = createMasterKeys({ folder, env, log, keychain, onPassphrase: masker.add });
  let described: { version: string; text: string } | undefined;
  let rotationFailed = false;

  const pathOf = (group: Group) => join(folder, fileOfGroup(group));

  async function read(group: Group): Promise<SealedItems | undefined> {
    if (!(await isPrivateFolder(folder))) return undefined;
    const bytes = await readPrivate(pathOf(group));
    return bytes && parseItems(bytes, pathOf(group));
  }

  async function groups(): Promise<Group[]> {
    if (!(await isPrivateFolder(folder))) return [];
    return (await readdir(folder)).map(groupOfFile).filter((group) => group !== undefined);
  }

  async function get(group: Group, name: string): Promise<string | undefined> {
    for (let reads = 1; ; reads++) {
      const item = (await read(group))?.get(name);
      if (!item) return undefined;
      const key = (await ringForReading()).find(({ id }) => id === item.key);
      if (key) return rememberForMasking(unseal(key, group, name, item, pathOf(group)));
      if (reads === MAX_READS) throw sealedWithOtherKey(name, pathOf(group));
      keys.invalidate();
    }
  }

  function rememberForMasking(value: string): string {
    masker.add(value);
    return value;
  }

  async function ringForReading(): Promise<KeyRing> {
    const { ring, unfinished } = await keys.load();
    if (!unfinished || rotationFailed) return ring;
    // Both keys are available, so reading works even if this fails.
    await lock(ringForWriting).catch(warnOfFailedRotation);
    const after = await keys.load();
    rotationFailed = after.unfinished;
    return after.ring;
  }

  /** Requires the lock. Damage in one group does not prevent writing another one. */
  async function ringForWriting(): Promise<KeyRing> {
    const { ring, unfinished } = await keys.loadOrCreate();
    if (!unfinished) return ring;
    await reseal(ring).catch(warnOfFailedRotation);
    return (await keys.load()).ring;
  }

  function warnOfFailedRotation(cause: unknown): void {
    log.warn({ err: cause }, 'The rotation of the master key could not be finished; both keys are still in use.');
  }

  /** Encrypts every secret with the newest key, then drops the other keys. */
  async function reseal(ring: KeyRing): Promise<number> {
    let secrets = 0;
    for (const group of await groups()) {
      const items = await read(group);
      if (!items) continue;
      secrets += items.size;
      if (resealItems(ring, group, items)) await writePrivate(pathOf(group), itemsAsText(items));
    }
    await keys.dropOldKeys();
    return secrets;
  }

  function resealItems(ring: KeyRing, group: Group, items: SealedItems): boolean {
    const newest = newestOf(ring);
    let changed = false;
    for (const [name, item] of items) {
      if (item.key === newest.id) continue;
      const key = ring.find(({ id }) => id === item.key);
      if (!key) throw sealedWithOtherKey(name, pathOf(group));
      items.set(name, seal(newest, group, name, unseal(key, group, name, item, pathOf(group)), item.updated));
      changed = true;
    }
    return changed;
  }

  /** Checks that everything can be decrypted before anything is changed. */
  async function assertReadable(ring: KeyRing): Promise<void> {
    for (const group of await groups()) {
      for (const [name, item] of (await read(group)) ?? []) {
        const key = ring.find(({ id }) => id === item.key);
        if (!key) throw sealedWithOtherKey(name, pathOf(group));
        unseal(key, group, name, item, pathOf(group));
      }
    }
  }

  /** The provider is read again only when the folder has changed: the status asks for it with every call. */
  async function describe(): Promise<string> {
    const version = versionOf(folder);
    if (described?.version !== version) described = { version, text: describeProvider(await keys.provider(), folder) };
    return described.text;
  }

  return {
    masker,

    provider: keys.provider,
    describe,

    async set(groupText, name, value) {
      const group = parseGroup(groupText);
      assertSecretName(name);
      assertSecretValue(value);
      masker.add(value);
      await makePrivateFolder(folder);
      // Before taking the lock, because the user may be prompted for a password, and other processes should not wait
      // for that.
      if (await keys.provider()) await ringForReading();
      await lock(async () => {
        const ring = await ringForWriting();
        const items: SealedItems = (await read(group)) ?? new Map();
        items.set(name, seal(newestOf(ring), group, name, value, new Date(clock.now()).toISOString()));
        await writePrivate(pathOf(group), itemsAsText(items));
      });
    },

    async get(group, name) {
      assertSecretName(name);
      return get(parseGroup(group), name);
    },

    async delete(groupText, name) {
      assertSecretName(name);
      const group = parseGroup(groupText);
      if (!(await read(group))?.has(name)) return false;
      return lock(async () => {
        const items = await read(group);
        if (!items?.delete(name)) return false;
        if (items.size === 0) await removePrivate(pathOf(group));
        else await writePrivate(pathOf(group), itemsAsText(items));
        return true;
      });
    },

    async deleteGroup(groupText) {
      const group = parseGroup(groupText);
      if (!(await groups()).includes(group)) return false;
      return lock(async () => {
        const found = (await groups()).includes(group);
        if (found) await removePrivate(pathOf(group));
        return found;
      });
    },

    async list(groupText) {
      const wanted = groupText === undefined ? await groups() : [parseGroup(groupText)];
      const entries: SecretEntry[] = [];
      for (const group of wanted.sort()) {
        const items = [...((await read(group)) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
        entries.push(...items.map(([name, { updated }]) => ({ group, name, updated })));
      }
      return entries;
    },

    async rotate() {
      if (!(await keys.provider())) return { secrets: 0 };
      await keys.load();
      return lock(async () => {
        const { ring, unfinished } = await keys.loadOrCreate();
        await assertReadable(ring);
        if (unfinished) await reseal(ring);
        return { secrets: await reseal(await keys.addKey()) };
      });
    },

    resolve: (text) =>
      resolveReferences(text, {
        secret: async (name) => (isSecretName(name) ? get('shared' as Group, name) : undefined),
        env: async (name) => {
          const value = Object.hasOwn(env, name) ? env[name] : undefined;
          return value && SECRET_VARIABLE.test(name) ? rememberForMasking(value) : value;
        },
      }),
  };
}

/** Differs after a file was created, replaced or removed in a folder, and after a change of its mode. */
function versionOf(folder: string): string {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino} ${stats.ctimeNs}` : 'missing';
}

function newestOf(ring: KeyRing): KeyRing[number] {
  const newest = ring.at(-1);
  if (!newest) throw new Error('The key ring is empty.');
  return newest;
}

function sealedWithOtherKey(name: string, file: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `The secret ${name} in ${file} was stored with another master key.`, {
    hint: 'Restore the file and its key from the same backup, or set the secret again.',
  });
}

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createKeychain, type Keychain } from './keychain.ts';
import { createLock } from './lock.ts';
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
 * The secrets of one home. Opening it touches nothing: the key is asked for when a value is read or written, and only
 * `set` ever creates something. Every value that passes is known to `masker`.
 */
export interface Secrets {
  /** What keeps the master key; nothing before the first secret. */
  provider(): Promise<Provider | undefined>;
  /** The same for a person, to be read after "Secrets are" or "Secrets:". */
  describe(): Promise<string>;
  /** On disk when it returns. */
  set(group: string, name: string, value: string): Promise<void>;
  get(group: string, name: string): Promise<string | undefined>;
  /** Whether it was there. */
  delete(group: string, name: string): Promise<boolean>;
  deleteGroup(group: string): Promise<boolean>;
  /** Names only, by group and name. */
  list(group?: string): Promise<readonly SecretEntry[]>;
  /** Encrypts everything with a new master key. Cut short at any point, the next use goes on with it. */
  rotate(): Promise<{ secrets: number }>;
  /** The text with its `${secret:NAME}` (of the group `shared`) and `${env:NAME}` replaced; an error names what is missing. */
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
  /** Shared with the log and the doors; a new one where it is not given. */
  masker?: Masker;
  keychain?: Keychain;
}

/** A rotation in another process can move the key and the file between two reads; not more than once in a while. */
const MAX_READS = 3;
/** Variables whose value is masked once it was referred to. Others, such as HOME, stand in many a harmless text. */
const SECRET_VARIABLE = /(^|_)(TOKEN|PAT|KEY|APIKEY|SECRET|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH)(_|$)/i;

export function openSecrets(options: SecretsOptions): Secrets {
  const { home, env, log, clock } = options;
  const masker = options.masker ?? createMasker();
  const folder = join(home, 'secrets');
  const lock = createLock(folder);
  const keychain = options.keychain ?? createKeychain(env);
  const keys = createMasterKeys({ folder, env, log, keychain, onPassphrase: masker.add });
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
    // Both keys are there, so that reading works whether or not this does.
    await lock(ringForWriting).catch(warnOfFailedRotation);
    const after = await keys.load();
    rotationFailed = after.unfinished;
    return after.ring;
  }

  /** For the holder of the lock. What is damaged in one group is no reason to refuse to write another. */
  async function ringForWriting(): Promise<KeyRing> {
    const { ring, unfinished } = await keys.loadOrCreate();
    if (!unfinished) return ring;
    await reseal(ring).catch(warnOfFailedRotation);
    return (await keys.load()).ring;
  }

  function warnOfFailedRotation(cause: unknown): void {
    log.warn({ err: cause }, 'The rotation of the master key could not be ended; both keys are still in use.');
  }

  /** Every secret under the newest key, and then the others are dropped. */
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

  /** Finds out that something cannot be read before anything is changed. */
  async function assertReadable(ring: KeyRing): Promise<void> {
    for (const group of await groups()) {
      for (const [name, item] of (await read(group)) ?? []) {
        const key = ring.find(({ id }) => id === item.key);
        if (!key) throw sealedWithOtherKey(name, pathOf(group));
        unseal(key, group, name, item, pathOf(group));
      }
    }
  }

  return {
    masker,

    provider: keys.provider,
    describe: async () => describeProvider(await keys.provider(), folder),

    async set(groupText, name, value) {
      const group = parseGroup(groupText);
      assertSecretName(name);
      assertSecretValue(value);
      masker.add(value);
      await makePrivateFolder(folder);
      // Before the lock: a person may be asked for a password, and others need not wait for that.
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

function newestOf(ring: KeyRing): KeyRing[number] {
  const newest = ring.at(-1);
  if (!newest) throw new Error('A ring without a key.');
  return newest;
}

function sealedWithOtherKey(name: string, file: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `The secret ${name} in ${file} was stored with another master key.`, {
    hint: 'Restore the file and its key from the same backup, or set the secret again.',
  });
}

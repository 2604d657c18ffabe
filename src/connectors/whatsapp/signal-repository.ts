import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { SignalKeyStoreWithTransaction, SignalRepositoryWithLIDStore, SocketConfig } from 'baileys';
import { nameOf } from './auth-state.ts';
import type { Library } from './library.ts';
import type { SealedEntries } from './sealed-entries.ts';

type MakeRepository = SocketConfig['makeSignalRepository'];

/** A type of key of our own: what was decrypted recently, by the digest of the ciphertext. */
const PLAINTEXT = 'plaintext';
/** The server delivers a message again only until it is acknowledged. */
const KEPT_PLAINTEXTS = 500;
/** A larger one is not kept. If it is delivered again, its sender is asked to send it again. */
const LONGEST_PLAINTEXT = 65_536;
const KEPT_SENDER_KEYS = 1_000;

/**
 * The library's Signal sessions, safe against a kill at any time. A ratchet is stored together with the message that advanced
 * it, so that the message can be decrypted again; and before what it encrypted leaves. All sessions share one lock: the
 * library reads a session when it begins to send, and would overwrite what is received until it has sent.
 */
export function durableRepository(library: Library, entries: SealedEntries): MakeRepository {
  const kept = entries.under(nameOf(PLAINTEXT, '')).map(([digest]) => digest);
  /** Those of this connection that are too long to be stored, until the library has asked for them. */
  const passing = new Map<string, Uint8Array>();
  const known = new Set<string>();

  function keep(digest: string): string[] {
    kept.push(digest);
    return kept.length > KEPT_PLAINTEXTS ? kept.splice(0, kept.length - KEPT_PLAINTEXTS) : [];
  }

  return (auth, logger, pnToLid) => {
    const keys = auth.keys as SignalKeyStoreWithTransaction;
    const inner = library.DEFAULT_CONNECTION_CONFIG.makeSignalRepository(
      auth,
      logger,
      pnToLid,
    ) as SignalRepositoryWithLIDStore;
    /** Runs outside the transaction of the caller, which the library commits only after it has sent. */
    const outside = AsyncLocalStorage.snapshot();
    const locked = <Result>(work: () => Promise<Result>) => outside(() => keys.transaction(work, 'signal'));

    async function once(ciphertext: Uint8Array, decrypt: () => Promise<Uint8Array>): Promise<Uint8Array> {
      const digest = createHash('sha256').update(ciphertext).digest('base64url');
      const text = entries.get(nameOf(PLAINTEXT, digest));
      if (text !== undefined) return Buffer.from(JSON.parse(text), 'base64');
      const long = passing.get(digest);
      passing.delete(digest);
      if (long) return long;
      return locked(async () => {
        const plain = await decrypt();
        if (plain.length > LONGEST_PLAINTEXT) {
          passing.set(digest, plain);
          return plain;
        }
        const forgotten = keep(digest).map((old) => [old, null]);
        const values = { ...Object.fromEntries(forgotten), [digest]: Buffer.from(plain).toString('base64') };
        await keys.set({ [PLAINTEXT]: values } as never);
        return plain;
      });
    }

    async function stored<Result>(work: () => Promise<Result>): Promise<Result> {
      const result = await locked(work);
      await outside(() => entries.flush());
      return result;
    }

    return {
      ...inner,
      decryptMessage: (options) => once(options.ciphertext, () => inner.decryptMessage(options)),
      decryptGroupMessage: (options) => once(options.msg, () => inner.decryptGroupMessage(options)),
      encryptMessage: (options) => stored(() => inner.encryptMessage(options)),
      encryptGroupMessage: (options) => stored(() => inner.encryptGroupMessage(options)),
      getSenderKeyDistributionMessage: (options) => stored(() => inner.getSenderKeyDistributionMessage(options)),
      async processSenderKeyDistributionMessage(options) {
        // Messages are decrypted twice, and a second time would put the sender key back to its beginning.
        const key = `${options.authorJid} ${options.item.groupId} ${digestOf(options.item.axolotlSenderKeyDistributionMessage)}`;
        if (known.has(key)) return;
        await locked(() => inner.processSenderKeyDistributionMessage(options));
        known.add(key);
        if (known.size > KEPT_SENDER_KEYS) known.delete([...known][0] ?? '');
      },
      injectE2ESession: (options) => locked(() => inner.injectE2ESession(options)),
      deleteSession: (jids) => locked(() => inner.deleteSession(jids)),
      migrateSession: (from, to) => locked(() => inner.migrateSession(from, to)),
      validateSession: (jid) => outside(() => inner.validateSession(jid)),
      getSessionInfo: (jid) => outside(() => inner.getSessionInfo(jid)),
      hasSenderKey: (options) => outside(() => inner.hasSenderKey(options)),
    };
  };
}

function digestOf(bytes: Uint8Array | null | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('base64url');
}

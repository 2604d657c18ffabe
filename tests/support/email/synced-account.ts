import assert from 'node:assert/strict';
import { createEngine } from '../../../src/chat/engine/engine.ts';
import { imap } from '../../../src/connectors/imap/index.ts';
import { mailOAuth } from '../../../src/connectors/imap/oauth/index.ts';
import { type MailConnector, MailError, type MailSession } from '../../../src/connectors/mail-connector.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { createMailAccess } from '../../../src/email/accounts/mail-access.ts';
import { createLiveSessions } from '../../../src/email/mailbox/live-sessions.ts';
import { accountSource } from '../../../src/email/sync/account-sources.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import type { Log } from '../../../src/lib/log.ts';
import { memorySecrets } from '../chat/memory-secrets.ts';
import { until } from '../mcp/shim-program.ts';
import { silentLog } from '../operation-context.ts';
import { MIGRATIONS, openStore, type Store } from '../store/open-store.ts';
import { accountOf, secretsInMemory } from './account-samples.ts';
import type { MailServer } from './mail-server.ts';
import { openSessionOn } from './mail-session.ts';

type Given = Parameters<typeof accountOf>[1];

export interface SyncedAccountOptions {
  server: MailServer;
  user?: string;
  /** Id of the account. */
  id?: string;
  settings?: Given;
  /** Folder of the store; a store in memory without one. */
  home?: string;
  /** An open store, which stays open. */
  store?: Store;
  /** What the secrets store has, as `work refresh_token`. */
  secrets?: Record<string, string>;
  /** Replaces parts of the connector. */
  connector?: Partial<MailConnector>;
  log?: Log;
}

/** An email as it is stored. */
export interface SyncedEmail {
  id: string;
  subject: string;
  text: string;
  flags: string;
  /** Its places: `INBOX 3`. */
  places: readonly string[];
  chat: string;
}

const WORKER = new URL('../../../src/compose/mail-sync-worker.ts', import.meta.url);

/** An account that the engine keeps synchronized, with the real store and the real connector. It ends with the test. */
export async function startSyncedAccount(
  context: { after(end: () => Promise<void>): void },
  options: SyncedAccountOptions,
) {
  const { server, user = 'alice', id = 'work', settings, home, connector, log = silentLog } = options;
  const url = home === undefined ? 'sqlite::memory:' : 'sqlite';
  const place = home ?? '/';
  const store = options.store ?? (await openStore({ url, home: place, clock: systemClock, log }));
  const engine = createEngine({
    messages: store.messages,
    chats: store.chats,
    sourceRepository: store.sources,
    secrets: memorySecrets(),
    clock: systemClock,
    log,
    firstRetryMs: 20,
  });
  const sessions = createLiveSessions(async (account) => {
    const { state, problem } = (await engine.find(account)) ?? {};
    return { isConnecting: state === 'connecting' || state === 'connected' || state === 'waiting', problem };
  });
  const { mail } = store.email;
  const define = (changed: Given = {}) =>
    accountSource(accountOf(id, { ...settingsOn(server, user), ...settings, ...changed }), {
      mail: async () => mail,
      connector: async () => ({ ...imap, ...connector }),
      access: createMailAccess({
        home: place,
        oauth: async () => mailOAuth,
        secrets: secretsInMemory(options.secrets),
        clock: systemClock,
      }),
      sessions,
      storeAddress: async () => ({ home: place, url, migrations: MIGRATIONS }),
      syncWorker: WORKER,
    });

  let isStopped = false;
  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    await engine.stop();
    if (!options.store) await store.close();
  }
  context.after(stop);
  await engine.apply([define()]);
  await engine.start();

  async function emails(): Promise<SyncedEmail[]> {
    const all: SyncedEmail[] = [];
    for (let hasMore = true; hasMore; ) {
      const beforeId = all.at(-1)?.id;
      const page = await store.messages.find({ sources: [id] }, { limit: 500, ...(beforeId ? { beforeId } : {}) });
      const stored = new Map((await mail.byIds(page.messages.map((message) => message.id))).map((e) => [e.id, e]));
      for (const message of page.messages) {
        const email = stored.get(message.id) ?? assert.fail('a message without an email');
        all.push({
          id: message.id,
          subject: message.mail?.subject ?? '',
          text: message.text,
          flags: email.flags.join(' '),
          places: email.locations.map(({ path, uid }) => `${path} ${uid}`).sort(),
          chat: message.chat.id,
        });
      }
      hasMore = page.hasMore;
    }
    return all;
  }

  const live = () => sessions.of(id, new AbortController().signal);
  return {
    store,
    mail,
    engine,
    emails,
    live,
    /** Looks at all folders now, and waits until everything is stored; on the next connection if this one is lost. */
    async sync() {
      for (;;) {
        try {
          return await (await live()).syncAll();
        } catch (error) {
          const isLost = error instanceof MailError && error.kind === 'lost';
          if (!isLost && !(error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE')) throw error;
        }
      }
    },
    /** The email with this subject. */
    async email(subject: string): Promise<SyncedEmail | undefined> {
      return (await emails()).find((email) => email.subject === subject);
    },
    view: async () => (await engine.find(id)) ?? assert.fail('the account is gone'),
    isState: (state: string) => until(`the account is ${state}`, async () => (await engine.find(id))?.state === state),
    /** With other settings. */
    reconfigure: (changed: Given) => engine.apply([define(changed)]),
    remove: () => engine.apply([]),
    /** Resolves when what is stored is what the server has. */
    async isMirror(): Promise<void> {
      let last: unknown;
      const isSame = async () => {
        try {
          await assertMirror();
          return true;
        } catch (error) {
          // Emails may be changing while they are listed.
          last = error;
          return false;
        }
      };
      await until('it is stored as on the server', isSame).catch(() => assert.fail(last as Error));
    },
    assertMirror,
    stop,
  };

  /** What is stored is what the server has: the same emails at the same places with the same flags, each once. */
  async function assertMirror(): Promise<void> {
    assert.deepEqual(await stored(), await onServer());
    assert.deepEqual(await store.admin.check(), { ok: true, problems: [] });
  }

  async function stored(): Promise<string[]> {
    return (await emails())
      .flatMap(({ places, subject, flags }) =>
        (places.length === 0 ? ['nowhere'] : places).map((p) => `${p} ${subject} ${flags}`),
      )
      .sort();
  }

  async function onServer(): Promise<string[]> {
    const session = await openSessionOn(server, { user });
    try {
      return (await mailsOf(session)).sort();
    } finally {
      await session.close();
    }
  }
}

export type SyncedAccount = Awaited<ReturnType<typeof startSyncedAccount>>;

/** Every email that the server has: `INBOX 3 Subject \Seen`. */
async function mailsOf(session: MailSession): Promise<string[]> {
  const lines: string[] = [];
  for (const { path, isSelectable } of await session.folders()) {
    if (!isSelectable) continue;
    await session.fetch(path, { from: 1, to: 4_294_967_295 }, async (batch) => {
      for (const { uid, flags, email } of batch)
        lines.push(`${path} ${uid} ${email.subject} ${flags.toSorted().join(' ')}`);
    });
  }
  return lines;
}

function settingsOn(server: MailServer, user: string): NonNullable<Given> {
  const { address, password } = server.user(user);
  return {
    email: address,
    imap: { host: server.host, port: server.ports.imaps, tls: true },
    auth: { password },
    ca: server.ca.path,
    poll_ms: 100,
  };
}

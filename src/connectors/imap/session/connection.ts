import type { ImapFlow, MailboxObject } from 'imapflow';
import type { MailError } from '../../mail-connector.ts';
import { createCommandQueue } from './command-queue.ts';
import { commandFailure, lost, refusal } from './failure.ts';
import { createFolderMemory, type FolderMemory } from './folder-memory.ts';
import type { SessionLimits } from './limits.ts';

/** A signed-in client whose commands run one after the other, each in the folder it needs. */
export interface ImapConnection {
  readonly client: ImapFlow;
  readonly limits: SessionLimits;
  readonly closed: Promise<MailError | undefined>;
  /** Runs after everything that was asked for before. Throws MailError. */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** The same in an open folder. Reading does not need the right to write. */
  inFolder<T>(path: string, access: 'read' | 'write', work: (folder: MailboxObject) => Promise<T>): Promise<T>;
  readonly memory: FolderMemory;
  /** Throws if imapflow says that a command failed, which it does by `false`. */
  accepted<T>(result: T | false | undefined): T;
  /** Resolves when no command was running for a while. */
  quiet(): Promise<void>;
  /** Waits in the open folder for news, until a command interrupts it; false if the server refuses. */
  idle(): Promise<boolean>;
  close(): Promise<void>;
}

export function createConnection(client: ImapFlow, signal: AbortSignal, limits: SessionLimits): ImapConnection {
  const queue = createCommandQueue();
  const memory = createFolderMemory(client);
  let lastCode: string | undefined;
  let idling: Promise<boolean> | undefined;
  client.on('response', ({ code }) => {
    lastCode = code;
  });
  const end = closing(client, signal, limits);
  const keepAlive = setInterval(() => {
    if (!queue.isBusy && !client.idling) run(() => client.noop()).catch(() => undefined);
  }, limits.silenceMs / 2).unref();
  void end.closed.then(() => clearInterval(keepAlive));

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await queue.run(() => (client.usable ? work() : Promise.reject(new Error('not connected'))));
    } catch (error) {
      throw commandFailure(error);
    }
  };

  return {
    client,
    limits,
    memory,
    ...end,
    run,
    inFolder: (path, access, work) =>
      run(async () => {
        const folder = await open(client, memory, path, access);
        memory.check(path, folder);
        return work(folder);
      }),
    accepted(result) {
      if (result !== false && result !== undefined) return result;
      if (!client.usable) throw lost(new Error('the connection ended during a command'));
      throw refusal(lastCode);
    },
    async quiet() {
      do {
        await queue.empty();
        await pause(limits.quietMs, end.closed);
      } while (queue.isBusy);
    },
    idle() {
      idling ??= waitForNews(client).finally(() => {
        idling = undefined;
      });
      return idling;
    },
  };
}

async function open(
  client: ImapFlow,
  memory: FolderMemory,
  path: string,
  access: 'read' | 'write',
): Promise<MailboxObject> {
  const current = client.mailbox;
  if (current && current.path === path && (access === 'read' || !current.readOnly)) return current;
  const opened = await client.mailboxOpen(path, { readOnly: access === 'read' });
  if (!opened) throw new Error('not connected');
  memory.opened(path, opened);
  if (access === 'write' && opened.readOnly) throw refusal('READONLY');
  return opened;
}

async function waitForNews(client: ImapFlow): Promise<boolean> {
  return client.idle().then(
    (result) => result !== false,
    () => false,
  );
}

/** How a connection ends: by us, by the signal, or by itself. */
function closing(client: ImapFlow, signal: AbortSignal, { closeMs }: SessionLimits) {
  const { promise: closed, resolve } = Promise.withResolvers<MailError | undefined>();
  let isOurs = false;
  let failure: unknown;
  client.on('error', (error) => {
    failure ??= error;
  });
  const abort = () => {
    isOurs = true;
    client.close();
  };
  const finish = () => {
    signal.removeEventListener('abort', abort);
    const cause = failure ?? Object.assign(new Error('the connection ended'), { reason: client.byeReason });
    resolve(isOurs ? undefined : lost(cause));
  };
  client.once('close', finish);
  signal.addEventListener('abort', abort, { once: true });
  if (client.isClosed) finish();
  if (signal.aborted) abort();

  const close = async () => {
    if (client.isClosed) return;
    isOurs = true;
    await Promise.race([client.logout().catch(() => undefined), pause(closeMs, closed)]);
    client.close();
    await closed;
  };
  return { closed, close };
}

/** Waits, or until `ended`; leaves no timer. */
export async function pause(milliseconds: number, ended: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  void ended.then(() => resolve());
  await promise;
  clearTimeout(timer);
}

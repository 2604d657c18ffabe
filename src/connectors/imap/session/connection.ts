import type { ImapFlow, MailboxObject } from 'imapflow';
import { MailError } from '../../mail-connector.ts';
import { createCommandQueue } from './command-queue.ts';
import { createEnding } from './ending.ts';
import { CallerError, commandFailure, lost, refusal } from './failure.ts';
import { createFolderMemory, type FolderMemory } from './folder-memory.ts';
import { checkPath } from './folder-name.ts';
import type { SessionLimits } from './limits.ts';
import { pause } from './pause.ts';
import { isRow } from './quick-row.ts';
import { createResponseReaders, type ResponseReaders } from './response-readers.ts';
import { startWatchdog } from './watchdog.ts';

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
  readonly responses: ResponseReaders;
  /** Throws if imapflow says that a command failed, which it does by `false`. */
  accepted<T>(result: T | false | undefined): T;
  /** Runs what the caller passed; it takes the time it takes, and its error is thrown as CallerError. */
  callBack(work: () => Promise<void>): Promise<void>;
  /** Resolves when no command was running for a while. */
  quiet(): Promise<void>;
  /** Waits in the open folder for news, until a command interrupts it; false if the server refuses. */
  idle(): Promise<boolean>;
  close(): Promise<void>;
}

export function createConnection(client: ImapFlow, signal: AbortSignal, limits: SessionLimits): ImapConnection {
  const queue = createCommandQueue();
  const memory = createFolderMemory(client);
  const responses = createResponseReaders(client);
  let lastCode: string | undefined;
  let idling: Promise<boolean> | undefined;
  client.on('response', ({ code }) => {
    lastCode = code;
  });
  const ending = createEnding(client, signal, limits);
  /** Callbacks that are running: meanwhile the server owes nothing. */
  let callbacks = 0;

  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await queue.run(() => (client.usable ? work() : Promise.reject(new Error('not connected'))));
    } catch (error) {
      const failure = commandFailure(error);
      throw failure instanceof MailError && failure.kind === 'lost' ? ending.reason(error) : failure;
    }
  };
  const stopWatchdog = startWatchdog(limits.silenceMs, {
    received: () => client.stats().received,
    isWaiting: () => queue.isBusy && callbacks === 0,
    greet: () => void run(() => client.noop()).catch(() => undefined),
    giveUp: () => ending.giveUp(Object.assign(new Error('no answer'), { code: 'ETIMEOUT' })),
  });
  ending.over.addEventListener('abort', stopWatchdog, { once: true });

  return {
    client,
    limits,
    memory,
    responses,
    closed: ending.closed,
    close: () => ending.close(),
    run,
    async callBack(work) {
      callbacks += 1;
      try {
        return await work();
      } catch (error) {
        throw new CallerError('a callback failed', { cause: error });
      } finally {
        callbacks -= 1;
      }
    },
    inFolder: (path, access, work) =>
      run(async () => {
        checkPath(path);
        const folder = await open(client, memory, path, access);
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
        await pause(limits.quietMs, ending.over);
      } while (queue.isBusy && !ending.over.aborted);
    },
    idle() {
      idling ??= waitForNews({ client, responses, memory }).finally(() => {
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
  const isOpen = current && current.path === path && (access === 'read' || !current.readOnly);
  if (isOpen && memory.isValid(path, current)) return current;
  const opened = await client.mailboxOpen(path, { readOnly: access === 'read' });
  if (!opened) throw new Error('not connected');
  memory.opened(path, opened);
  if (!memory.isValid(path, opened)) {
    throw new MailError('refused', 'The server has numbered the emails of the folder anew.');
  }
  if (access === 'write' && opened.readOnly) throw refusal('READONLY');
  return opened;
}

/** Another client may change thousands of flags at once: the first is news, and all are asked for later. */
async function waitForNews({
  client,
  responses,
  memory,
}: Pick<ImapConnection, 'client' | 'responses' | 'memory'>): Promise<boolean> {
  const skipRow = (line: Buffer) => {
    const { mailbox } = client;
    if (!mailbox || !isRow(line)) return false;
    if (!memory.hasNews(mailbox.path)) client.emit('flags', { path: mailbox.path });
    return true;
  };
  return responses.linesDuring(skipRow, () =>
    client.idle().then(
      (result) => result !== false,
      () => false,
    ),
  );
}

import { MailError } from '../../mail-connector.ts';
import type { ImapConnection } from './connection.ts';
import { pause } from './pause.ts';

const EVENTS = ['exists', 'expunge', 'flags'] as const;

/**
 * Waits for news in the folder, with IDLE where the server has it. Every command interrupts that; shortly after the last one it
 * goes on. What has happened since the last watch is news, too.
 */
export async function watchFolder(
  connection: ImapConnection,
  path: string,
  signal: AbortSignal,
): Promise<'changed' | 'aborted'> {
  const { client, memory } = connection;
  if (signal.aborted || client.isClosed) return 'aborted';
  const { promise: result, resolve, reject } = Promise.withResolvers<'changed' | 'aborted'>();
  const over = new AbortController();
  const abort = () => resolve('aborted');
  const look = () => {
    if (memory.hasNews(path)) resolve('changed');
  };
  signal.addEventListener('abort', abort, { once: true });
  client.once('close', abort);
  for (const name of EVENTS) client.on(name, look);
  stay(connection, path, look, over.signal).catch((error) =>
    error instanceof MailError && error.kind === 'lost' ? abort() : reject(error),
  );
  try {
    const outcome = await result;
    if (outcome === 'changed') memory.noticed(path);
    return outcome;
  } finally {
    over.abort();
    signal.removeEventListener('abort', abort);
    client.off('close', abort);
    for (const name of EVENTS) client.off(name, look);
  }
}

/** Returns to the folder again and again until it is over. */
async function stay(connection: ImapConnection, path: string, look: () => void, over: AbortSignal): Promise<void> {
  const ended = new Promise((resolve) => over.addEventListener('abort', resolve, { once: true }));
  while (!over.aborted) {
    const news = await connection.inFolder(path, 'read', async () => {
      look();
      return { arrival: await waitForNews(connection, over) };
    });
    await Promise.race([news.arrival(), ended]);
    await Promise.race([connection.quiet(), ended]);
  }
}

/** Returns how to wait, which is done when other commands may run. */
async function waitForNews(connection: ImapConnection, over: AbortSignal): Promise<() => Promise<unknown>> {
  const { client, limits } = connection;
  if (!client.capabilities.has('IDLE')) {
    await client.noop();
    return () => pause(limits.pollMs, over);
  }
  const idling = connection.idle();
  return async () => {
    if (!(await idling)) await pause(limits.pollMs, over);
  };
}

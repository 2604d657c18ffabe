import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import type { InboundMessage } from '../../src/domain/chat.ts';
import type { ChatQuery } from './chat-queries.ts';

/** Debian's own Python, which Debian's packages are built for. */
const PYTHON = '/usr/bin/python3';
const PACKAGE = 'python3-xapian';
const PROGRAM = new URL('xapian-peer.py', import.meta.url).pathname;

/** Xapian, the engine of notmuch and other mail readers, in a separate process; it measures itself. */
export interface Xapian {
  /** Milliseconds that it took. */
  index(messages: readonly InboundMessage[]): Promise<number>;
  search(query: NonNullable<ChatQuery['peer']>): Promise<number>;
  close(): Promise<void>;
}

/** Undefined if it is not installed and cannot be. */
export async function openXapian(folder: string, { install }: { install: boolean }): Promise<Xapian | undefined> {
  if (!isThere() && install)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', PACKAGE], { stdio: 'ignore' });
  if (!isThere()) return undefined;
  const peer = spawn(PYTHON, [PROGRAM, folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  process.once('exit', () => peer.kill('SIGKILL'));
  const ask = conversation(peer);
  return {
    index: (messages) =>
      ask({ index: messages.map(({ chat, sender, at, text }) => ({ chat: chat.id, sender: sender.id, at, text })) }),
    search: (query) => ask({ search: query }),
    async close() {
      peer.stdin.end();
      await once(peer, 'exit');
    },
  };
}

function isThere(): boolean {
  return spawnSync(PYTHON, ['-c', 'import xapian'], { stdio: 'ignore' }).status === 0;
}

/** Sends a line of JSON, and receives a line with the milliseconds. */
function conversation(peer: ChildProcessByStdio<Writable, Readable, null>): (question: object) => Promise<number> {
  const answers = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
  return async (question) => {
    peer.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error('Xapian ended early.');
    return Number(value);
  };
}

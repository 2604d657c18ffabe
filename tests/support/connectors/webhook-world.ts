import { createHmac } from 'node:crypto';
import { systemClock } from '../../../src/lib/clock.ts';
import { writeConfig } from '../chat/live-home.ts';
import { freePort } from '../free-port.ts';
import { startHttp } from '../mcp/mcp-program.ts';
import { silentLog } from '../operation-context.ts';
import { openStore } from '../store/open-store.ts';
import { arrivedIn, SOURCE, storedIn } from './connected-source.ts';
import type { Arrivals } from './contract/arriving.ts';

const SECRET = 'what only the senders know';
const SENDER = { id: 'ci', name: 'ci' };

export interface Answer {
  status: number;
  body: { added?: number; known?: number; error?: { code: string; message: string; field?: string } };
}

export interface Posting {
  method?: string;
  source?: string;
  /** Replaces the correct one; empty for none. */
  signature?: string;
  headers?: Record<string, string>;
}

/** The Standard Webhooks headers for this body, signed at that timestamp in seconds. */
export function standardHeaders(body: string, moment: number): Record<string, string> {
  const id = `post-${moment}`;
  const signature = createHmac('sha256', SECRET).update(`${id}.${moment}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(moment), 'webhook-signature': `v1,${signature}` };
}

/** The built program with a source that accepts signed posts, and a second connection to its store. */
export async function webhookWorld(home: string) {
  writeConfig(home, {
    sources: { [SOURCE]: { kind: 'webhook', name: 'Hook', secret: SECRET } },
    daemon: { idle_exit_ms: 1_000 },
  });
  const port = await freePort();
  let program = await startHttp({ home, port });
  const store = await openStore({ url: 'sqlite', home, clock: systemClock, log: silentLog });

  /** Posts exactly these bytes, or this value as JSON. */
  async function post(content: unknown, { method = 'POST', source = SOURCE, signature, headers }: Posting = {}) {
    const body = Buffer.isBuffer(content) ? content : Buffer.from(JSON.stringify(content));
    const signed = signature ?? createHmac('sha256', SECRET).update(body).digest('hex');
    const response = await fetch(`${program.base}/api/v1/sources/${source}/messages`, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(signed === '' ? {} : { 'x-switchboard-signature': signed }),
        ...headers,
      },
      body,
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] } satisfies Answer;
  }

  let count = 0;
  let last: Promise<unknown> = Promise.resolve();
  const chats = { group: 'builds', direct: 'ann' };
  const say: Arrivals['peer']['say'] = (where, text, { replyTo } = {}) => {
    const id = `said-${++count}`;
    const message = { id, chat: chats[where], chat_type: where, sender: SENDER.name, text };
    // A sender that needs the order waits for each response.
    const said = last.then(() => post(replyTo === undefined ? message : { ...message, reply_to: replyTo }));
    last = said;
    return said.then(({ status, body }) => {
      if (status !== 200) throw new Error(`it was not taken: ${JSON.stringify(body)}`);
      return id;
    });
  };

  return {
    home,
    store,
    post,
    chats,
    longestText: 1_000_000,
    peer: { sender: { group: SENDER, direct: SENDER }, say },
    arrived: (chat: string, text: string) => arrivedIn(store, chat, text),
    stored: (chat: string) => storedIn(store, chat),
    texts: async (chat: string) => (await storedIn(store, chat)).map(({ text }) => text),
    url: () => program.url,
    /** Kills the program, and restarts it on the same port. */
    async kill(): Promise<void> {
      program.signal('SIGKILL');
      await program.ended();
      program = await startHttp({ home, port });
    },
    async close(): Promise<void> {
      await program.stop();
      await store.close();
    },
  };
}

export type WebhookWorld = Awaited<ReturnType<typeof webhookWorld>>;

import { startHttp, startStdio } from '../mcp/mcp-program.ts';
import type { createMessageQueue } from '../mcp/message-queue.ts';
import { openSession, openStream, post, postStateless, standardHeaders } from '../mcp/rpc-http.ts';
import { type Message, notification, request, stateless } from '../mcp/rpc-message.ts';
import { type Shim, startShim } from '../mcp/shim-program.ts';

/** A client of one of the two protocol versions, on one of the two transports. */
export interface ChatClient {
  ask(method: string, params?: object): Promise<Message>;
  /** Subscribes to all of these; `refused` is the error, if there is one. */
  subscribe(...uris: string[]): Promise<Hearing>;
  /** Cancels all subscriptions. */
  forgetAll(): Promise<void>;
  stop(): Promise<unknown>;
}

export interface Hearing {
  messages: ReturnType<typeof createMessageQueue>;
  refused?: Message['error'];
}

type Open = (home: string, args?: readonly string[]) => Promise<ChatClient>;

type Start = (options: { home: string }, args: readonly string[]) => Shim | ReturnType<typeof startStdio>;

/** A client that initializes, as in the protocol versions before 2026. */
const withSession =
  (start: Start): Open =>
  async (home, args = []) => {
    const program = start({ home }, args);
    const held = new Set<string>();
    await program.initialize();
    return {
      ask: program.call,
      async subscribe(...uris) {
        const answers = [];
        for (const uri of uris) answers.push(await program.call('resources/subscribe', { uri }));
        for (const uri of uris) held.add(uri);
        return { messages: program.messages, ...refusalIn(answers) };
      },
      async forgetAll() {
        for (const uri of held) await program.call('resources/unsubscribe', { uri });
        held.clear();
      },
      stop: () => program.stop(),
    };
  };

/** A client without a session: every request is complete in itself. */
const withoutSession =
  (start: Start): Open =>
  async (home, args = []) => {
    const program = start({ home }, args);
    const held = new Set<unknown>();
    return {
      ask: (method, params) => program.call(method, stateless(params)),
      async subscribe(...uris) {
        const message = request('subscriptions/listen', listening(uris));
        program.send(message);
        const first = await program.messages.take(
          ({ id, method }) => id === message.id || method === 'notifications/subscriptions/acknowledged',
        );
        held.add(message.id);
        return { messages: program.messages, ...refusalIn([first]) };
      },
      async forgetAll() {
        for (const requestId of held) program.send(notification('notifications/cancelled', { requestId }));
        held.clear();
        await program.call('server/discover', stateless());
      },
      stop: () => program.stop(),
    };
  };

const HTTP_DOORS: Readonly<Record<string, Open>> = {
  async 'on HTTP, with a session'(home, args = []) {
    const program = await startHttp({ home }, args);
    const session = await openSession(program.url);
    const held = new Set<string>();
    let stream: Awaited<ReturnType<typeof session.listen>> | undefined;
    return {
      ask: session.call,
      async subscribe(...uris) {
        stream ??= await session.listen();
        const answers = [];
        for (const uri of uris) answers.push(await session.call('resources/subscribe', { uri }));
        for (const uri of uris) held.add(uri);
        return { messages: stream.messages, ...refusalIn(answers) };
      },
      async forgetAll() {
        for (const uri of held) await session.call('resources/unsubscribe', { uri });
        held.clear();
      },
      stop: () => program.stop(),
    };
  },

  async 'on HTTP, without a session'(home, args = []) {
    const program = await startHttp({ home }, args);
    const held = new Set<{ close(): void; ended: Promise<void> }>();
    return {
      async ask(method, params) {
        const { messages } = await postStateless(program.url, request(method, stateless(params)));
        const [answer] = messages;
        if (!answer) throw new Error(`${method} was not answered`);
        return answer;
      },
      async subscribe(...uris) {
        const message = request('subscriptions/listen', listening(uris));
        const stream = await openStream(program.url, { message, headers: standardHeaders(message) });
        if (stream.status !== 200) {
          const { messages } = await post(program.url, message, standardHeaders(message));
          return { ...stream, ...refusalIn(messages) };
        }
        await stream.messages.notified('notifications/subscriptions/acknowledged');
        held.add(stream);
        return stream;
      },
      async forgetAll() {
        for (const stream of held) stream.close();
        await Promise.all([...held].map(({ ended }) => ended));
        held.clear();
      },
      stop: () => program.stop(),
    };
  },
};

/** The program alone, without a daemon. */
export const CHAT_DOORS: Readonly<Record<string, Open>> = {
  'on stdio, with a session': withSession(startStdio),
  'on stdio, without a session': withoutSession(startStdio),
  ...HTTP_DOORS,
};

/** As assistants use it: on stdio a shim relays to a daemon. */
export const DAEMON_DOORS: Readonly<Record<string, Open>> = {
  'through the daemon, with a session': withSession(startShim),
  'through the daemon, without a session': withoutSession(startShim),
  ...HTTP_DOORS,
};

function listening(resourceSubscriptions: readonly string[]) {
  return stateless({ notifications: { resourceSubscriptions } });
}

function refusalIn(answers: readonly Message[]): Pick<Hearing, 'refused'> {
  const refused = answers.find(({ error }) => error)?.error;
  return refused ? { refused } : {};
}

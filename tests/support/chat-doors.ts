import { startHttp, startStdio } from './mcp-program.ts';
import type { createMessageQueue } from './message-queue.ts';
import { openSession, openStream, post, postStateless, standardHeaders } from './rpc-http.ts';
import { type Message, request, stateless } from './rpc-message.ts';

/** A client of one of the two eras, on one of the two transports. */
export interface ChatClient {
  ask(method: string, params?: object): Promise<Message>;
  /** Subscribes to all of these; `refused` is the error, where there is one. */
  subscribe(...uris: string[]): Promise<Hearing>;
  stop(): Promise<unknown>;
}

export interface Hearing {
  messages: ReturnType<typeof createMessageQueue>;
  refused?: Message['error'];
  close(): void;
}

type Open = (home: string, args?: readonly string[]) => Promise<ChatClient>;

export const CHAT_DOORS: Readonly<Record<string, Open>> = {
  async 'on stdio, with a session'(home, args = []) {
    const program = startStdio({ home }, args);
    const { result } = await program.initialize();
    if (!result) throw new Error('not initialized');
    return {
      ask: program.call,
      async subscribe(...uris) {
        const answers = [];
        for (const uri of uris) answers.push(await program.call('resources/subscribe', { uri }));
        return { messages: program.messages, ...refusalIn(answers), close() {} };
      },
      stop: () => program.stop(),
    };
  },

  async 'on stdio, without a session'(home, args = []) {
    const program = startStdio({ home }, args);
    return {
      ask: (method, params) => program.call(method, stateless(params)),
      async subscribe(...uris) {
        const message = request('subscriptions/listen', listening(uris));
        program.send(message);
        const first = await program.messages.take(
          ({ id, method }) => id === message.id || method === 'notifications/subscriptions/acknowledged',
        );
        return { messages: program.messages, ...refusalIn([first]), close() {} };
      },
      stop: () => program.stop(),
    };
  },

  async 'on HTTP, with a session'(home, args = []) {
    const program = await startHttp({ home }, args);
    const session = await openSession(program.url);
    return {
      ask: session.call,
      async subscribe(...uris) {
        const stream = await session.listen();
        const answers = [];
        for (const uri of uris) answers.push(await session.call('resources/subscribe', { uri }));
        return { ...stream, ...refusalIn(answers) };
      },
      stop: () => program.stop(),
    };
  },

  async 'on HTTP, without a session'(home, args = []) {
    const program = await startHttp({ home }, args);
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
        return stream;
      },
      stop: () => program.stop(),
    };
  },
};

function listening(resourceSubscriptions: readonly string[]) {
  return stateless({ notifications: { resourceSubscriptions } });
}

function refusalIn(answers: readonly Message[]): Pick<Hearing, 'refused'> {
  const refused = answers.find(({ error }) => error)?.error;
  return refused ? { refused } : {};
}

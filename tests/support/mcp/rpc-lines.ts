import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { createMessageQueue } from './message-queue.ts';
import { initializeParams, type Message, notification, request } from './rpc-message.ts';

/** A client of the stdio transport that sends what the test says, right or wrong, and keeps what comes back. */
export function rpcOverLines(toServer: Writable, fromServer: Readable) {
  const messages = createMessageQueue();
  /** Lines that are no JSON: nothing of the kind may ever come. */
  const noise: string[] = [];
  const lines = createInterface({ input: fromServer });
  lines.on('line', (line) => {
    try {
      messages.push(JSON.parse(line) as Message);
    } catch {
      noise.push(line);
    }
  });
  lines.once('close', () => messages.end());

  const client = {
    messages,
    noise,
    send: (message: unknown) => void toServer.write(`${JSON.stringify(message)}\n`),
    sendText: (text: string) => void toServer.write(text),
    call(method: string, params?: object): Promise<Message> {
      const message = request(method, params);
      client.send(message);
      return messages.answerTo(message.id);
    },
    async initialize(version = '2025-11-25'): Promise<Message> {
      const answer = await client.call('initialize', initializeParams(version));
      client.send(notification('notifications/initialized'));
      return answer;
    },
    end: () => void toServer.end(),
  };
  return client;
}

import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { createMessageQueue } from './message-queue.ts';
import { initializeParams, type Message, notification, request } from './rpc-message.ts';

/** A client of the stdio transport that sends any message, valid or not, and records the output. */
export function rpcOverLines(toServer: Writable, fromServer: Readable) {
  const messages = createMessageQueue();
  /** Output lines that are not JSON: there must be none. */
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

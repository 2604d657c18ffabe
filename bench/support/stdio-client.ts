import { type Answer, type Client, resultOf } from './client.ts';
import { end, type Running } from './process.ts';

/** Communicates with a program over its standard streams; `onNotification` is called for each notification. */
export function createStdioClient(running: Running, onNotification: () => void = () => {}): Client {
  const waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
  let lastId = 0;
  let rest = '';
  let said = '';

  running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answer = JSON.parse(line) as Answer;
      if (answer.id === undefined) onNotification();
      waiting.get(answer.id)?.resolve(answer);
      waiting.delete(answer.id);
    }
  });
  running.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-10_000);
  });
  running.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`The program ended with ${code}. It said: ${said}`));
  });
  running.stdin.on('error', () => {});

  return {
    async request(method, params) {
      lastId += 1;
      const { promise, resolve, reject } = Promise.withResolvers<Answer>();
      waiting.set(lastId, { resolve, reject });
      running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
      return resultOf(await promise, method);
    },
    notify: (method) => void running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
    close: () => end(running),
  };
}

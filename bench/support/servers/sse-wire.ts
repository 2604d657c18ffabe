import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createHttpExchanges, post } from './http-exchange.ts';
import { readLines } from './raw-relay.ts';
import { checkAnswer, FIRST_CALL, INITIALIZE, recordedCall, resultIn, type Waiting, type Wire } from './wire.ts';

/** 2024-11-05: requests are posted, and answered in one stream. */
export async function openSseWire(port: number, path: string): Promise<Wire> {
  const waiting = new Map<number, Waiting>();
  const endpoint = Promise.withResolvers<string>();
  const stream = get({ host: '127.0.0.1', port, path, headers: { accept: 'text/event-stream' }, agent: false });
  const [response] = (await once(stream, 'response')) as [IncomingMessage];
  response.on('error', () => {});
  response.on('close', () => endpoint.reject(new Error(`The stream ended (HTTP ${response.statusCode}).`)));
  readLines(response, (line) => {
    if (!line.startsWith('data:')) return;
    const data = line.slice(5).trim();
    if (!data.startsWith('{')) return endpoint.resolve(data);
    const id = Number(/"id":(\d+)/.exec(data)?.[1] ?? -1);
    waiting.get(id)?.resolve(data);
    waiting.delete(id);
  });
  const { pathname, search } = new URL(await endpoint.promise, `http://127.0.0.1:${port}`);
  const exchanges = createHttpExchanges(port);
  const toPost = post(port, pathname + search, {});
  let lastId = 0;
  let lastCall = FIRST_CALL;
  let record = recordedCall('');

  function send(id: number, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      exchanges.send(toPost(body)).catch(reject);
    });
  }

  const wire: Wire = {
    async request(method, params = {}) {
      lastId += 1;
      return resultIn(await send(lastId, JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })));
    },
    useTool(name) {
      record = recordedCall(name);
    },
    async call() {
      lastCall += 1;
      const id = lastCall;
      checkAnswer(await send(id, record(id)), id);
    },
    async close() {
      exchanges.close();
      response.destroy();
    },
  };
  await wire.request('initialize', INITIALIZE);
  await exchanges.send(toPost(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })));
  return wire;
}

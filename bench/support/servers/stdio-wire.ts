import type { Running } from '../process.ts';
import { checkAnswer, FIRST_CALL, INITIALIZE, recordedCall, resultIn, type Waiting, type Wire } from './wire.ts';

const ID_LENGTH = String(FIRST_CALL).length;

/** Raw lines over the standard streams of a program. */
export async function openStdioWire(running: Running): Promise<Wire> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let lastCall = FIRST_CALL;
  let record = recordedCall('');
  let rest = '';
  let said = '';

  running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const id = idIn(line);
      waiting.get(id)?.resolve(line);
      waiting.delete(id);
    }
  });
  running.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said = (said + chunk).slice(-2_000);
  });
  running.once('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`It ended with ${code}. It said: ${said}`));
  });
  running.stdin.on('error', () => {});

  function send(id: number, line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      running.stdin.write(`${line}\n`);
    });
  }

  const wire: Wire = {
    async request(method, params) {
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
    close: async () => void running.stdin.end(),
  };
  await wire.request('initialize', INITIALIZE);
  running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  return wire;
}

/** Without parsing the line. Only a result could have another `id` in it, and ours have none. */
function idIn(line: string): number {
  const at = line.lastIndexOf('"id":');
  return at === -1 ? -1 : Number.parseInt(line.slice(at + 5, at + 5 + ID_LENGTH), 10);
}

import { spawn } from 'node:child_process';

interface Message {
  id?: number;
  method?: string;
  params?: { name?: string };
  result?: { tools?: { name: string }[] };
}

const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw-relay', version: '1.0.0' },
};
const INTRODUCTION = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'raw-relay', version: '1.0.0' },
};

/** What Node can do at best: JSON is parsed once, ids and names are replaced, nothing is checked. */
export async function createRawRelay(program: string, count: number) {
  const names = Array.from({ length: count }, (_, number) => `s${number}`);
  const servers = new Map(names.map((name) => [name, startServer(program, name)] as const));
  await Promise.all(
    [...servers.values()].map((server) => server.request({ method: 'initialize', params: INITIALIZE })),
  );
  for (const server of servers.values()) server.notify('notifications/initialized');

  async function list(): Promise<object> {
    const lists = [...servers].map(async ([name, server]) => {
      const { result } = await server.request({ method: 'tools/list' });
      return result?.tools?.map((tool) => ({ ...tool, name: `${name}__${tool.name}` })) ?? [];
    });
    return { tools: (await Promise.all(lists)).flat() };
  }

  return async function answer(message: Message): Promise<object | undefined> {
    const { id, method, params } = message;
    if (id === undefined) return;
    if (method === 'initialize') return { jsonrpc: '2.0', id, result: INTRODUCTION };
    if (method === 'tools/list') return { jsonrpc: '2.0', id, result: await list() };
    const name = params?.name ?? '';
    const at = name.indexOf('__');
    const answered = await servers
      .get(name.slice(0, at))
      ?.request({ method, params: { ...params, name: name.slice(at + 2) } });
    return answered && { ...answered, id };
  };
}

function startServer(program: string, name: string) {
  const child = spawn(process.execPath, [program, name], { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map<number, (message: Message) => void>();
  let lastId = 0;
  readLines(child.stdout, (line) => {
    const message = JSON.parse(line) as Message;
    waiting.get(message.id ?? 0)?.(message);
    waiting.delete(message.id ?? 0);
  });
  return {
    request(message: object): Promise<Message> {
      lastId += 1;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message, id: lastId })}\n`);
      return new Promise((resolve) => waiting.set(lastId, resolve));
    },
    notify: (method: string) => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method })}\n`),
  };
}

export function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

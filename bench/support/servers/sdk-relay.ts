import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type ListToolsResult, Server } from '@modelcontextprotocol/server';

/** The shortest gateway with the SDK on both sides: `PROGRAM COUNT` starts so many servers, s0, s1 … */
export async function createSdkRelay(program: string, count: number): Promise<() => Server> {
  const names = Array.from({ length: count }, (_, number) => `s${number}`);
  const clients = new Map(await Promise.all(names.map(async (name) => [name, await connect(program, name)] as const)));

  async function list(): Promise<ListToolsResult['tools']> {
    const lists = [...clients].map(async ([name, client]) => {
      const { tools } = await client.listTools();
      return tools.map((tool) => ({ ...tool, name: `${name}__${tool.name}` }));
    });
    return (await Promise.all(lists)).flat();
  }

  return () => {
    const server = new Server({ name: 'sdk-relay', version: '1.0.0' }, { capabilities: { tools: {} } });
    server.setRequestHandler('tools/list', async () => ({ tools: await list() }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const at = params.name.indexOf('__');
      const client = clients.get(params.name.slice(0, at));
      if (!client) throw new Error('unknown server');
      return client.callTool({ name: params.name.slice(at + 2), arguments: params.arguments ?? {} });
    });
    return server;
  };
}

async function connect(program: string, name: string): Promise<Client> {
  const client = new Client({ name: 'sdk-relay', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, name] }));
  return client;
}

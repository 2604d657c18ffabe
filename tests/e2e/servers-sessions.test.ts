import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isAlive, until } from '../support/mcp/shim-program.ts';
import type { FeatureClient } from '../support/servers/feature-client.ts';
import { type FeatureProgram, startFeatureProgram } from '../support/servers/feature-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const SESSIONS = { transport: 'stdio', era: 'sessions' } as const;

const textOf = ({ content }: { content: readonly object[] }) => (content[0] as { text?: string } | undefined)?.text;

async function call({ mcp }: FeatureClient, server: string, tool: string, args: Record<string, unknown> = {}) {
  return textOf(await mcp.callTool({ name: `${server}__${tool}_${server}`, arguments: args })) ?? '';
}

/** A call that runs until it is cancelled. */
function runCall({ mcp }: FeatureClient, name: string): () => Promise<void> {
  const stop = new AbortController();
  const call = mcp.callTool({ name, arguments: {} }, { signal: stop.signal }).catch(() => {});
  return async () => {
    stop.abort();
    await call;
  };
}

describe('clients of one server', () => {
  let program: FeatureProgram;
  const clients: FeatureClient[] = [];

  before(async () => {
    program = await startFeatureProgram(join(folder, 'home'), { SWITCHBOARD_SERVERS__SESSION_IDLE_MS: '500' });
    await program.addFeatures('shared', SESSIONS);
    await program.addFeatures('own', SESSIONS, ['--trusted', '--per-session']);
  });
  after(async () => {
    for (const client of clients) await client.close();
    await program.close();
  });

  async function connect(transport: 'stdio' | 'http', era: 'sessions' | 'stateless'): Promise<FeatureClient> {
    const client = await program.connect(transport, era);
    clients.push(client);
    return client;
  }

  test('a question reaches no other client: it is refused while two call a shared server', async () => {
    const [one, two] = [await connect('stdio', 'sessions'), await connect('http', 'sessions')];
    const end = runCall(two, 'shared__wait_shared');
    await until('the other call runs', () => existsSync(join(program.home, 'waiting-shared')));

    const refused = await call(one, 'shared', 'elicit');

    assert.match(refused, /Several clients are calling this server.*per_session/);
    assert.equal(one.count('elicitation/create') + two.count('elicitation/create'), 0);
    await end();
  });

  test('a server with a connection per session has a process for each, and asks each client itself', async () => {
    const [one, two] = [await connect('stdio', 'sessions'), await connect('http', 'sessions')];
    const pids = [await call(one, 'own', 'pid'), await call(two, 'own', 'pid')];

    const end = runCall(two, 'own__wait_own');
    await until('the other call runs', () => existsSync(join(program.home, 'waiting-own')));
    const answered = await call(one, 'own', 'elicit');

    assert.notEqual(pids[0], pids[1]);
    assert.equal(answered, 'city=Brno');
    assert.deepEqual([one.count('elicitation/create'), two.count('elicitation/create')], [1, 0]);
    await end();
  });

  test('20 sessions that vanish leave one process', async () => {
    const shared = Number(JSON.parse(await program.command('servers', 'show', 'own', '--json')).status.pid);
    const many = await Promise.all(Array.from({ length: 20 }, () => program.connect('http', 'sessions')));
    const pids = await Promise.all(many.map(async (client) => Number(await call(client, 'own', 'pid'))));
    assert.equal(new Set(pids).size, 20);

    // Without ending their sessions.
    await Promise.all(many.map((client) => client.close()));

    await until('their processes have ended', () => pids.every((pid) => !isAlive(pid)));
    assert.ok(isAlive(shared));
    assert.ok(!pids.includes(shared));
  });

  test('the processes of sessions end when the server is stopped', async () => {
    const client = await connect('stdio', 'stateless');
    const end = runCall(client, 'own__wait_own');
    const pid = Number(await call(client, 'own', 'pid'));

    await program.command('servers', 'stop', 'own');

    assert.ok(!isAlive(pid));
    await end();
  });
});

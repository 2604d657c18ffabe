import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MailClient, startAgent } from '../support/agentmail/clients.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { daemonStatus, isAlive, removeHome, until } from '../support/mcp/shim-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const KILLS = 6;

describe('agent mail over MCP while the daemon is killed', { timeout: 300_000 }, () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'home');
  const world = createMailWorld(after, folder);
  after(() => removeHome(home));

  test('no acknowledged letter is lost, and a letter whose response was lost is delivered again', async (context) => {
    const [from, to] = await Promise.all(
      ['writer', 'reader'].map(async (name) => {
        const agent = await startAgent(world, { home, pane: world.server.addWindow(name) });
        context.after(() => agent.shim.stop());
        return agent;
      }),
    );
    assert(from && to);
    let killing = true;
    const sent = new Set<string>();
    const received: string[] = [];

    const writing = (async () => {
      for (let number = 0; killing; number += 1) {
        const id = await tried(from, 'send', { recipient: 'reader', message: `letter ${number}` });
        if (typeof id?.message_id === 'string') sent.add(id.message_id);
      }
    })();
    const reading = (async () => {
      while (killing) {
        const letter = await tried(to, 'receive');
        if (typeof letter?.id === 'string') received.push(letter.id);
      }
    })();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = received.length;
      await until('letters are received', () => received.length > before + 2);
      await sleep(Math.random() * 30);
      await killDaemon(home);
    }
    killing = false;
    await Promise.all([writing, reading]);
    const rest = await to.receiveAll();

    const got = new Set([...received, ...rest]);
    assert.deepEqual(
      [...sent].filter((id) => !got.has(id)),
      [],
    );
    assert(sent.size > KILLS);
  });

  test('a letter requested by a client that was killed is delivered to the next client', async (context) => {
    const pane = world.server.addWindow('dying');
    const sender = await startAgent(world, { home, pane: world.server.addWindow('sender') });
    context.after(() => sender.shim.stop());
    const dying = await startAgent(world, { home, pane });
    const { content } = await sender.tool('send', { recipient: 'dying', message: 'do not lose me' });

    dying.shim.send({ jsonrpc: '2.0', id: 'last', method: 'tools/call', params: { name: 'receive', arguments: {} } });
    dying.shim.signal('SIGKILL');
    await dying.shim.ended();
    const next = await startAgent(world, { home, pane });
    context.after(() => next.shim.stop());

    const wasRead = dying.shim.messages.all.some(({ id }) => id === 'last');
    let received: string[] = [];
    await until('it is delivered again, unless its response had arrived', async () => {
      received = await next.receiveAll();
      return wasRead || received.length > 0;
    });

    if (!wasRead) assert.deepEqual(received, [content.message_id]);
  });
});

/** The structured content, or undefined if the daemon was killed during the call. */
async function tried(agent: MailClient, name: string, args: object = {}) {
  const { result } = await agent.ask('tools/call', { name, arguments: args });
  return result?.isError === true ? undefined : (result?.structuredContent as { id?: string; message_id?: string });
}

async function killDaemon(home: string): Promise<void> {
  const { running, pid } = await daemonStatus(home);
  if (!running) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  await until('the daemon has exited', () => !isAlive(pid));
}

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { createIdentities } from '../../src/agentmail/identity/identities.ts';
import { createRemoteAgents } from '../../src/agentmail/identity/remote-agents.ts';
import { localPrincipal } from '../../src/domain/principal.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { startTmux } from '../support/agentmail/tmux.ts';
import { until } from '../support/mcp/shim-program.ts';
import { silentLog } from '../support/operation-context.ts';
import { openStore } from '../support/store/open-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { tokenPrincipal } from '../support/token-principal.ts';

const far = { principal: tokenPrincipal('t', [], { agent: 'far' }) };

describe('the agent that a caller acts as', () => {
  test('is the tmux window of the process, and its repository is remembered', async (context) => {
    const { identities, project, store } = await build(context);
    const one = project('one');
    const server = startTmux((end) => context.after(end), { folder: one });

    const at = await identities.of({ principal: localPrincipal(), origin: server.origin(server.first, one) });

    assert.deepEqual([at.me.name, at.mailFolders.main], ['a1', join(one, '.agentmail')]);
    await until('it is known', async () => (await store.agentmail.repositories.list()).length === 1);
    const [known] = await store.agentmail.repositories.list();
    assert.deepEqual([known?.folder, known?.sessions[0]?.pane], [join(one, '.agentmail'), server.first]);
  });

  test('is an error for a token without an agent, and for a local caller without a known process', async (context) => {
    const { identities } = await build(context);

    for (const principal of [tokenPrincipal('t', []), localPrincipal()]) {
      await assert.rejects(identities.of({ principal }), { code: 'NO_AGENT_IDENTITY' });
    }
  });

  test('is found in the one of several repositories that has its mailbox', async (context) => {
    const { identities, project, note } = await build(context);
    await note(project('one'));
    const two = project('two');
    await note(two);
    writeFileSync(join(two, '.agentmail', 'mailboxes', 'far.jsonl'), '');
    await note(project('three'));

    const at = await identities.of(far);

    assert.deepEqual([at.me.name, at.me.isCurrent, at.mailFolders.main], ['far', true, join(two, '.agentmail')]);
  });

  test('keeps the repository in which it was first found', async (context) => {
    const { identities, project, note } = await build(context);
    const one = project('one');
    await note(one);
    await identities.of(far);
    await note(project('two'));

    const at = await identities.of(far);

    assert.equal(at.mailFolders.main, join(one, '.agentmail'));
  });

  test('is an error if none or several of the known repositories have its mailbox', async (context) => {
    const { identities, project, note } = await build(context);
    const folders = ['one', 'two'].map(project);
    for (const folder of folders) await note(folder);

    const unknown = identities.of(far);
    await assert.rejects(unknown, { code: 'NO_AGENT_IDENTITY', message: /^None of 2 repositories knows/ });
    for (const folder of folders) writeFileSync(join(folder, '.agentmail', 'mailboxes', 'far.jsonl'), '');

    await assert.rejects(identities.of(far), { code: 'NO_AGENT_IDENTITY', message: /^2 repositories know/ });
  });

  test('is the tmux window of that name if one exists, with the other windows of its session as peers', async (context) => {
    const { identities, project, store } = await build(context);
    const one = project('one');
    const server = startTmux((end) => context.after(end), { folder: one });
    const pane = server.addWindow('far');
    await store.agentmail.repositories.note(join(one, '.agentmail'), {
      tmux: server.env(server.first).TMUX,
      pane: server.first,
    });

    const at = await identities.of(far);

    assert.equal(at.me.pane, pane);
    assert.deepEqual(
      at.peers.map(({ name, isCurrent }) => [name, isCurrent]),
      [
        ['a1', false],
        ['far', true],
      ],
    );
  });
});

async function build(context: TestContext) {
  const root = temporaryFolder((end) => context.after(end));
  const store = await openStore({ url: 'sqlite::memory:', home: root, clock: systemClock, log: silentLog });
  context.after(() => store.close());
  const remoteAgents = createRemoteAgents({ clock: systemClock, warn() {} });
  context.after(remoteAgents.close);
  return {
    store,
    identities: createIdentities({
      repositories: store.agentmail.repositories,
      remoteAgents,
      clock: systemClock,
      log: silentLog,
    }),
    project(name: string): string {
      const folder = join(root, name);
      mkdirSync(join(folder, '.git'), { recursive: true });
      mkdirSync(join(folder, '.agentmail', 'mailboxes'), { recursive: true });
      return folder;
    },
    note: (folder: string) => store.agentmail.repositories.note(join(folder, '.agentmail')),
  };
}

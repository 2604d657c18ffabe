import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { typeNotice } from '../../src/agentmail/mailman/typing.ts';
import { foregroundOf } from '../../src/agentmail/tmux/foreground.ts';
import { viewPane } from '../../src/agentmail/tmux/pane-view.ts';
import { startAgent } from '../support/agentmail/agents.ts';
import { startTmux } from '../support/agentmail/tmux.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOLD = ['up', 'pasted Check your agentmail', 'submitted Check your agentmail'];

describe('a notice that is typed into a pane', { timeout: 300_000 }, () => {
  const folder = realpathSync(temporaryFolder(after));
  const server = startTmux(after, { folder });
  const { socket } = server;

  for (const look of ['box', 'drawn'] as const) {
    test(`reaches an agent whose prompt is ${look}, and is submitted`, async () => {
      const agent = await startAgent(server, folder, look, { look });

      const typed = await typeNotice({ socket, pane: agent.pane });

      assert.deepEqual(typed, { kind: 'typed' });
      assert.deepEqual(agent.events(), TOLD);
    });

    test(`is not typed over a draft in a prompt that is ${look}`, async () => {
      const agent = await startAgent(server, folder, `${look}-draft`, { look });
      server.tmux('send-keys', '-t', agent.pane, '-l', 'my thought');
      await shows(agent.pane, 'my thought');

      const typed = await typeNotice({ socket, pane: agent.pane });

      assert.deepEqual(typed, { kind: 'not now', why: 'its prompt contains a draft' });
      server.tmux('send-keys', '-t', agent.pane, 'Enter');
      assert.equal((await agent.until(2))[1], 'submitted my thought');
    });
  }

  test('is removed from the prompt if Enter has no effect', async () => {
    const agent = await startAgent(server, folder, 'deaf', { look: 'deaf' });

    const typed = await typeNotice({ socket, pane: agent.pane });

    assert.deepEqual(typed, { kind: 'failed', why: 'it did not accept the Enter key' });
    await shows(agent.pane, 'Try "write a test"');
  });

  test('is not typed into a shell, an editor, a pager or an interpreter', async () => {
    const commands = { shell: ['sh'], pager: ['less', '/etc/passwd'], language: [process.execPath] };

    for (const [name, command] of Object.entries(commands)) {
      const pane = server.addWindow(name, { command });
      await inFront(pane);
      const typed = await typeNotice({ socket, pane });

      assert.equal(typed.kind, 'not now');
      assert.match(typed.kind === 'not now' ? typed.why : '', /is in the foreground, which is not its agent$/);
    }
  });

  test('is not typed in copy mode, and is typed when copy mode ends', async () => {
    const agent = await startAgent(server, folder, 'copying');
    server.tmux('copy-mode', '-t', agent.pane);

    const during = await typeNotice({ socket, pane: agent.pane });
    server.tmux('send-keys', '-t', agent.pane, '-X', 'cancel');
    const afterwards = await typeNotice({ socket, pane: agent.pane });

    assert.deepEqual(during, { kind: 'not now', why: 'it is in copy mode' });
    assert.deepEqual(afterwards, { kind: 'typed' });
  });

  test('is not typed into a window with synchronized panes', async () => {
    const agent = await startAgent(server, folder, 'synchronized');
    server.tmux('set-option', '-w', '-t', agent.pane, 'synchronize-panes', 'on');

    const typed = await typeNotice({ socket, pane: agent.pane });

    assert.equal(typed.kind, 'not now');
  });

  test('is not typed into an unknown program other than the one that was registered as ready', async () => {
    const agent = await startAgent(server, folder, 'unknown', { program: 'my-assistant' });
    const view = await viewPane(socket, agent.pane);
    const { group = 0 } = (view && (await foregroundOf(view))) ?? {};

    const toAnother = await typeNotice({ socket, pane: agent.pane, foreground: group + 1 });
    const toTheSame = await typeNotice({ socket, pane: agent.pane, foreground: group });

    assert.equal(toAnother.kind, 'not now');
    assert.equal(toTheSame.kind, 'typed');
  });

  test('reaches a program without a prompt, on its empty line', async () => {
    const pane = server.addWindow('plain', { command: ['cat'] });
    await inFront(pane);

    const typed = await typeNotice({ socket, pane });

    assert.deepEqual(typed, { kind: 'typed' });
    await shows(pane, 'Check your agentmail\nCheck your agentmail');
  });

  test('a missing pane is reported', async () => {
    assert.deepEqual(await typeNotice({ socket, pane: '%999' }), { kind: 'not now', why: 'its pane is gone' });
  });

  async function shows(pane: string, text: string): Promise<void> {
    while (!server.tmux('capture-pane', '-p', '-t', pane).includes(text)) await new Promise(setImmediate);
  }

  async function inFront(pane: string): Promise<void> {
    const isUp = async () => {
      const view = await viewPane(socket, pane);
      return view !== undefined && (await foregroundOf(view)) !== undefined;
    };
    while (!(await isUp())) await new Promise(setImmediate);
  }
});

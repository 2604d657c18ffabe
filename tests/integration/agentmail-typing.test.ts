import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { removeNotice } from '../../src/agentmail/mailman/remove-notice.ts';
import { typeNotice } from '../../src/agentmail/mailman/typing.ts';
import { foregroundOf } from '../../src/agentmail/tmux/foreground.ts';
import { pasteInto, pressIn } from '../../src/agentmail/tmux/guarded-input.ts';
import { MAIN_PROMPTS } from '../../src/agentmail/tmux/main-prompts.ts';
import { viewPane } from '../../src/agentmail/tmux/pane-view.ts';
import { promptOf } from '../../src/agentmail/tmux/prompt.ts';
import { startAgent } from '../support/agentmail/agents.ts';
import { startTmux } from '../support/agentmail/tmux.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TOLD = ['up', 'pasted Check your agentmail', 'submitted Check your agentmail'];

describe('a notice that is typed into a pane', { timeout: 300_000 }, () => {
  const folder = realpathSync(temporaryFolder(after));
  const server = startTmux(after, { folder });
  const { socket } = server;

  for (const look of ['plain', 'drawn'] as const) {
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

      assert.deepEqual(typed, { kind: 'not-typed', reason: 'draft' });
      server.tmux('send-keys', '-t', agent.pane, 'Enter');
      assert.equal((await agent.until(2))[1], 'submitted my thought');
    });
  }

  for (const look of ['deaf', 'multiline'] as const) {
    test(`is removed from a prompt whose Enter key does not submit (${look}), and the pane is left alone`, async () => {
      const agent = await startAgent(server, folder, look, { look });

      const typed = await typeNotice({ socket, pane: agent.pane });
      const failedOn = typed.kind === 'failed' ? typed.screen : '';
      const again = await typeNotice({ socket, pane: agent.pane, failedOn });

      assert.partialDeepStrictEqual(typed, { kind: 'failed', reason: 'not-submitted' });
      assert.match(failedOn, /Try "write a test"/);
      assert.deepEqual(again, { kind: 'left-alone' });
      assert.deepEqual(agent.events(), TOLD.slice(0, 2));
    });
  }

  test('is removed from a prompt that takes keys as commands', async () => {
    const agent = await startAgent(server, folder, 'commands', { look: 'commands' });

    const typed = await typeNotice({ socket, pane: agent.pane });

    assert.partialDeepStrictEqual(typed, { kind: 'failed', reason: 'not-submitted' });
    await shows(agent.pane, 'Try "write a test"');
  });

  test('is removed from a dialog that appears meanwhile, and is not submitted in it', async () => {
    const agent = await startAgent(server, folder, 'dialog', { look: 'dialog' });

    const typed = await typeNotice({ socket, pane: agent.pane });

    assert.partialDeepStrictEqual(typed, { kind: 'failed', reason: 'not-shown' });
    assert.deepEqual(agent.events(), TOLD.slice(0, 2));
    assert.doesNotMatch(server.tmux('capture-pane', '-p', '-t', agent.pane), /Check your/);
  });

  test('is removed alone where the user typed before and after it', async () => {
    const agent = await startAgent(server, folder, 'mixed');
    server.tmux('send-keys', '-t', agent.pane, '-l', 'one Check your agentmail two');
    await shows(agent.pane, 'one Check your agentmail two');
    const shape = MAIN_PROMPTS.get('claude');
    assert.ok(shape);

    const isRemoved = await removeNotice(socket, agent.pane, (screen) => promptOf(shape, screen));
    server.tmux('send-keys', '-t', agent.pane, '-l', ' three');
    server.tmux('send-keys', '-t', agent.pane, 'Enter');

    assert.equal(isRemoved, true);
    assert.equal((await agent.until(2))[1], 'submitted one  two three');
  });

  test('is not typed into a shell, an editor, a pager or an interpreter', async () => {
    const commands = { shell: ['sh'], pager: ['less', '/etc/passwd'], language: [process.execPath] };

    for (const [name, command] of Object.entries(commands)) {
      const pane = server.addWindow(name, { command });
      await inFront(pane);
      const typed = await typeNotice({ socket, pane });

      assert.deepEqual(typed, { kind: 'not-typed', reason: 'not-an-agent' });
    }
  });

  test('is not typed into an agent whose prompt is not known, nor into the prompt of another program', async () => {
    const unknown = await startAgent(server, folder, 'unknown', { program: 'goose' });
    const another = await startAgent(server, folder, 'another', { program: 'gemini' });

    const typed = [await typeNotice({ socket, pane: unknown.pane }), await typeNotice({ socket, pane: another.pane })];

    assert.deepEqual(typed, [
      { kind: 'not-typed', reason: 'prompt-unknown' },
      { kind: 'not-typed', reason: 'no-prompt' },
    ]);
  });

  test('is not typed if the screen changed after it was looked at', async () => {
    const agent = await startAgent(server, folder, 'changed');
    const view = await viewPane(socket, agent.pane);
    assert.ok(view);
    server.tmux('send-keys', '-t', agent.pane, '-l', 'x');
    await shows(agent.pane, '❯ x');

    const pasted = await pasteInto({ socket, pane: agent.pane, view }, 'text');
    const pressed = await pressIn({ socket, pane: agent.pane, view }, 'Enter');

    assert.deepEqual([pasted, pressed], [false, false]);
    assert.deepEqual(agent.events(), ['up']);
    assert.equal(server.tmux('list-buffers'), '');
  });

  test('is not typed in copy mode, and is typed when copy mode ends', async () => {
    const agent = await startAgent(server, folder, 'copying');
    server.tmux('copy-mode', '-t', agent.pane);

    const during = await typeNotice({ socket, pane: agent.pane });
    server.tmux('send-keys', '-t', agent.pane, '-X', 'cancel');
    const afterwards = await typeNotice({ socket, pane: agent.pane });

    assert.deepEqual(during, { kind: 'not-typed', reason: 'copy-mode' });
    assert.deepEqual(afterwards, { kind: 'typed' });
  });

  test('is not typed into a window with synchronized panes', async () => {
    const agent = await startAgent(server, folder, 'synchronized');
    server.tmux('set-option', '-w', '-t', agent.pane, 'synchronize-panes', 'on');

    const typed = await typeNotice({ socket, pane: agent.pane });

    assert.deepEqual(typed, { kind: 'not-typed', reason: 'synchronized' });
  });

  test('reaches an unknown program that reads lines, if it is the one that became ready', async () => {
    const pane = server.addWindow('lines', { command: ['cat'] });
    await inFront(pane);
    const view = await viewPane(socket, pane);
    const { group = 0 } = (view && (await foregroundOf(view))) ?? {};

    const toAnother = await typeNotice({ socket, pane, foreground: group + 1 });
    const toTheSame = await typeNotice({ socket, pane, foreground: group });

    assert.deepEqual(toAnother, { kind: 'not-typed', reason: 'not-an-agent' });
    assert.deepEqual(toTheSame, { kind: 'typed' });
    await shows(pane, 'Check your agentmail\nCheck your agentmail');
  });

  test('is not typed into an unknown program that reads keys, hides its input, or asks a question', async () => {
    const raw = await startAgent(server, folder, 'raw', { program: 'my-assistant' });
    const hidden = server.addWindow('hidden', { command: ['sh', '-c', 'stty -echo; exec cat'] });
    const question = server.addWindow('question', { command: ['sh', '-c', 'printf "API key: "; exec cat'] });
    await shows(question, 'API key:');
    for (const pane of [hidden, question]) await runs(pane, 'cat');

    const typed = [];
    for (const pane of [raw.pane, hidden, question]) typed.push(await typeNotice({ socket, pane }));

    assert.deepEqual(typed, [
      { kind: 'not-typed', reason: 'prompt-unknown' },
      { kind: 'not-typed', reason: 'prompt-unknown' },
      { kind: 'not-typed', reason: 'draft' },
    ]);
  });

  test('a missing pane is reported', async () => {
    assert.deepEqual(await typeNotice({ socket, pane: '%999' }), { kind: 'not-typed', reason: 'pane-gone' });
  });

  async function shows(pane: string, text: string): Promise<void> {
    while (!server.tmux('capture-pane', '-p', '-t', pane).includes(text)) await new Promise(setImmediate);
  }

  async function runs(pane: string, command: string): Promise<void> {
    const now = () => server.tmux('display-message', '-p', '-t', pane, '#{pane_current_command}');
    while (now() !== command) await new Promise(setImmediate);
  }

  async function inFront(pane: string): Promise<void> {
    const isUp = async () => {
      const view = await viewPane(socket, pane);
      return view !== undefined && (await foregroundOf(view)) !== undefined;
    };
    while (!(await isUp())) await new Promise(setImmediate);
  }
});

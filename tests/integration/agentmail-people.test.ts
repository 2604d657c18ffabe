import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { showToPeople } from '../../src/agentmail/mailman/tell-human.ts';
import { isPersonTyping } from '../../src/agentmail/tmux/pane-view.ts';
import { startTmux } from '../support/agentmail/tmux.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Longer than any machine takes from a key press to the query for recent input. */
const NEAR_S = 600;

describe('users attached to a tmux session', { timeout: 300_000 }, () => {
  const folder = realpathSync(temporaryFolder(after));
  const inner = startTmux(after, { folder });
  // A terminal with an attached user: a pane of a second server that runs a client of the first one.
  const outer = startTmux(after, { folder });
  const terminal = outer.addWindow('person', {
    command: ['env', '-u', 'TMUX', 'tmux', '-S', inner.socket, 'attach', '-t', '=main'],
  });

  test('are shown notices, and no command in a notice is run', async () => {
    await attached();

    await showToPeople(inner.socket, inner.first, 'a#(touch gone) and #W only answer each other');

    await shows(/a#\(touch gone\) and #W only answer each other/);
  });

  test('are detected as active only in the pane that they type into', async () => {
    await attached();
    const another = inner.tmux('new-window', '-d', '-P', '-F', '#{pane_id}', '-t', '=main:');
    outer.tmux('send-keys', '-t', terminal, 'x');
    await shows(/x/);

    const [here, there, longAgo] = [
      await isPersonTyping(inner.socket, inner.first, NEAR_S, Date.now()),
      await isPersonTyping(inner.socket, another, NEAR_S, Date.now()),
      await isPersonTyping(inner.socket, inner.first, NEAR_S, Date.now() + 2 * NEAR_S * 1_000),
    ];

    assert.deepEqual([here, there, longAgo], [true, false, false]);
  });

  async function attached(): Promise<void> {
    while (inner.tmux('list-clients') === '') await new Promise(setImmediate);
  }

  async function shows(words: RegExp): Promise<void> {
    while (!words.test(outer.tmux('capture-pane', '-p', '-t', terminal))) await new Promise(setImmediate);
  }
});

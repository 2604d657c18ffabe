import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import type { AgentStatus } from '../agent.ts';
import { openDeliveryState } from '../delivery/delivery-state.ts';
import { appendLetter, mailboxPath } from '../mailbox/mailbox.ts';
import { changePresence } from '../mailbox/recipients-file.ts';
import { createUnreadReader } from '../mailbox/unread-reader.ts';
import { servedAgents, unreadOf } from './agents.ts';
import type { Window } from './sessions.ts';

const CLOCK = { now: () => Date.parse('2026-03-01T12:00:00Z') };
const warn = () => {};

describe('the agents that a mailman serves', () => {
  test('are those that are ready and have a window', async () => {
    const { main, state, says } = setting();
    await says('a1', 'ready');
    await says('a2', 'work');
    await says('gone', 'ready');

    const agents = await servedAgents(main, view([window(1, 'a1'), window(2, 'a2'), window(3, 'silent')]), state);

    assert.deepEqual(names(agents.filter(({ isSilent }) => !isSilent)), [['a1', '1:1:@1']]);
  });

  test('are silent if they are not ready, or have no status and are in this repository', async () => {
    const { main, state, says } = setting();
    await says('a1', 'work');
    const here = { ...window(2, 'fresh'), panes: [pane(dirname(main))] };
    const elsewhere = { ...window(3, 'elsewhere'), panes: [pane('/')] };

    const agents = await servedAgents(main, view([window(1, 'a1'), here, elsewhere]), state);

    assert.deepEqual(
      agents.map(({ presence, isSilent }) => [presence.name, isSilent]),
      [
        ['a1', true],
        ['fresh', true],
      ],
    );
  });

  test('include a renamed window once, under the name of its newest status', async () => {
    const { main, state, says } = setting();
    state.sawWindows([{ window: '1:1:@1', name: 'before' }], CLOCK.now());
    await says('before', 'ready', 1);
    await says('after', 'work', 2);

    const atWork = await servedAgents(main, view([window(1, 'after')]), state);
    await says('after', 'ready', 3);
    const ready = await servedAgents(main, view([window(1, 'after')]), state);

    const isSilent = [...atWork, ...ready].map((agent) => agent.isSilent);
    assert.deepEqual(
      [names(atWork), names(ready), isSilent],
      [[['after', '1:1:@1']], [['after', '1:1:@1']], [true, false]],
    );
  });

  test('with the same name are each notified of their own letters', async () => {
    const { main, state, says } = setting();
    await says('twin', 'ready');
    const mailbox = mailboxPath(main, 'twin');
    const { id } = await appendLetter(mailbox, { from: 'a1', to: 'twin', message: 'x' }, { clock: CLOCK, warn });
    const to = { name: 'twin', window: '1:1:@2' };
    state.stored({
      id,
      mailbox: 'mailboxes/twin.jsonl',
      from: { name: 'a1' },
      to,
      storedAt: CLOCK.now(),
      preview: 'x',
    });

    const agents = await servedAgents(main, view([window(1, 'twin', '$1'), window(2, 'twin', '$2')]), state);
    const unread = await Promise.all(agents.map((agent) => unreadOf(agent, state, createUnreadReader(state, main))));

    assert.deepEqual(
      unread.map(({ length }) => length),
      [0, 1],
    );
  });

  test('know the windows of other sessions, whose mail they do not receive', async () => {
    const { main, state, says } = setting();
    await says('twin', 'ready');

    const [agent] = await servedAgents(main, view([window(1, 'twin')], ['1:1:@2']), state);

    assert.deepEqual(await agent?.at.everyWindow?.(), ['1:1:@1', '1:1:@2']);
  });
});

function view(windows: readonly Window[], elsewhere: readonly string[] = []) {
  return { windows, everyWindow: new Set([...windows.map(({ key }) => key), ...elsewhere]) };
}

function setting() {
  const main = join(temporaryRepository(after), '.agentmail');
  const state = openDeliveryState(main);
  after(() => state.close());
  const says = (name: string, status: AgentStatus, updatedAt = CLOCK.now()) =>
    changePresence(main, [name], (presence) => ({ ...presence, status, updatedAt }), { now: CLOCK.now(), warn });
  return { main, state, says };
}

function window(number: number, name: string, session = '$1'): Window {
  return { key: `1:1:@${number}`, name, socket: '/tmp/none', session, panes: [] };
}

function pane(folder: string): Window['panes'][number] {
  const ids = { id: '%1', pid: 1, serverPid: 1, session: '$1', window: '@2', windowKey: '1:1:@2', windowName: 'fresh' };
  return { ...ids, isActive: true, isDead: false, folder };
}

function names(agents: Awaited<ReturnType<typeof servedAgents>>) {
  return agents.map(({ presence, window: { key } }) => [presence.name, key]);
}

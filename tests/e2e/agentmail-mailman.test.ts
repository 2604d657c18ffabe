import assert from 'node:assert/strict';
import { realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { startAgent } from '../support/agentmail/agents.ts';
import { startMailman } from '../support/agentmail/mailman.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** More letters than can be sent before the notification, even on a busy machine. */
const MANY = 200;
const TOLD = ['up', 'pasted Check your agentmail', 'submitted Check your agentmail'];

describe('the mailman', { timeout: 300_000 }, () => {
  test('AGENT-23 notifies a ready agent of unread mail once, and does not notify agents at work or offline', async (t) => {
    const { as, server, folder, mailman } = await setting(t);
    const [ready, work, offline, silent] = [
      await startAgent(server, folder, 'ready'),
      await startAgent(server, folder, 'work'),
      await startAgent(server, folder, 'offline'),
      await startAgent(server, folder, 'silent'),
    ];
    await as(ready.pane, 'status', 'ready');
    await as(work.pane, 'status', 'work');
    await as(offline.pane, 'status', 'offline');

    for (const name of ['work', 'offline', 'silent', 'ready']) await as(server.first, 'send', name, 'hello');
    await mailman.until(/notified ready of 1 unread \(typed\)/);

    assert.deepEqual(ready.events(), TOLD);
    for (const agent of [work, offline, silent]) assert.deepEqual(agent.events(), ['up']);
    await as(work.pane, 'status', 'ready');
    await mailman.until(/notified work of 1 unread/);
    assert.deepEqual(work.events(), TOLD);
    assert.deepEqual(ready.events(), TOLD);
  });

  test('AGENT-23 the sender sees that the recipient was notified, and notified_at is stored in the original format', async (t) => {
    const { as, server, folder, mailman, states } = await setting(t);
    const agent = await startAgent(server, folder, 'a2');
    await as(agent.pane, 'status', 'ready');

    await as(server.first, 'send', 'a2', 'hello');
    await mailman.until(/notified a2/);
    await agent.until(TOLD.length);

    const { stdout } = await as(server.first, 'sent', '--json');
    const [letter] = JSON.parse(stdout).messages;
    assert.equal(letter.state, 'announced');
    const [entry] = states();
    assert.ok(Date.parse(String(entry?.notified_at)) > Date.parse('2020-01-01'));
  });

  test('it does not type into a shell, copy mode or a draft, and notifies those agents once they are free', async (t) => {
    const { as, server, folder, mailman } = await setting(t);
    const copying = await startAgent(server, folder, 'copying');
    const drafting = await startAgent(server, folder, 'drafting');
    const shell = server.addWindow('shell', { command: ['sh'] });
    server.tmux('copy-mode', '-t', copying.pane);
    server.tmux('send-keys', '-t', drafting.pane, '-l', 'my draft');
    for (const pane of [copying.pane, drafting.pane, shell]) await as(pane, 'status', 'ready');

    for (const name of ['copying', 'drafting', 'shell']) await as(server.first, 'send', name, 'hello');
    await mailman.until(/copying has mail but is not notified: its pane is in copy mode/);
    await mailman.until(/drafting has mail but is not notified: its prompt contains a draft/);
    await mailman.until(
      /shell has mail but is not notified: the program in the foreground of its pane is not a known agent/,
    );
    assert.deepEqual([copying.events(), drafting.events()], [['up'], ['up']]);
    server.tmux('send-keys', '-t', copying.pane, '-X', 'cancel');
    server.tmux('send-keys', '-t', drafting.pane, 'Enter');
    await mailman.until(/notified copying/);
    await mailman.until(/notified drafting/);

    assert.deepEqual(copying.events(), TOLD);
    assert.deepEqual(drafting.events(), ['up', 'submitted my draft', ...TOLD.slice(1)]);
    assert.doesNotMatch(server.tmux('capture-pane', '-p', '-t', shell), /Check your/);
  });

  test('a steady stream of mail does not delay the notification', async (t) => {
    const { as, server, folder } = await setting(t);
    const agent = await startAgent(server, folder, 'a2');
    await as(agent.pane, 'status', 'ready');
    let sent = 0;

    while (agent.events().length < TOLD.length && sent < MANY) {
      await as(server.first, 'send', 'a2', `message ${sent}`);
      sent += 1;
    }

    assert.deepEqual(agent.events().slice(0, 3), TOLD);
    assert.ok(sent < MANY);
  });

  test('after a restart it does not repeat notifications', async (t) => {
    const world = await setting(t);
    const { as, server, folder } = world;
    const told = await startAgent(server, folder, 'told');
    const other = await startAgent(server, folder, 'other');
    for (const { pane } of [told, other]) await as(pane, 'status', 'ready');
    await as(server.first, 'send', 'told', 'hello');
    await world.mailman.until(/notified told/);
    assert.equal(await world.mailman.stop(), 0);

    const second = await startMailman((end) => t.after(end), world);
    await as(server.first, 'send', 'other', 'hello');
    await second.until(/notified other/);

    assert.deepEqual(told.events(), TOLD);
    assert.doesNotMatch(second.said(), /notified told/);
  });

  test('windows with unusual names are notified, each only of its own mail', async (t) => {
    const { as, server, folder, mailman } = await setting(t);
    const names = ['1', '-dash', 'a:b.c', '.hidden', 'zwei wörter'];
    const agents = new Map<string, Awaited<ReturnType<typeof startAgent>>>();
    for (const [at, name] of names.entries()) {
      const agent = await startAgent(server, folder, `plain-${at}`);
      server.rename(agent.pane, name);
      agents.set(name, agent);
      await as(agent.pane, 'status', 'ready');
    }

    for (const [at, name] of names.entries()) {
      await as(server.first, 'send', '-r', name, '-m', 'hello');
      await agents.get(name)?.until(TOLD.length);

      const untold = names.slice(at + 1).map((each) => agents.get(each)?.events());
      for (const events of untold) assert.deepEqual(events, ['up']);
    }
    await mailman.until(/(?:notified [\s\S]*){5}/);
  });

  test('a renamed window is notified of mail to its old name', async (t) => {
    const { as, server, folder } = await setting(t);
    const agent = await startAgent(server, folder, 'before');
    await as(agent.pane, 'status', 'work');
    await as(server.first, 'send', 'before', 'hello');
    server.rename(agent.pane, 'after');

    await as(agent.pane, 'status', 'ready');

    assert.deepEqual(await agent.until(TOLD.length), TOLD);
  });

  test('it exits when its tmux session ends or the mail folder is removed', async (t) => {
    const first = await setting(t);
    const second = await setting(t);

    first.server.addSession('other', 'elsewhere');
    first.server.tmux('kill-session', '-t', '=main');
    rmSync(join(second.project, '.agentmail'), { recursive: true, maxRetries: 10 });
    await Promise.all([first.mailman.until(/ended: session gone/), second.mailman.until(/ended: folder gone/)]);

    assert.equal(await first.mailman.ended(), 0);
    assert.equal(await second.mailman.ended(), 0);
  });

  test('AGENT-23 a message whose recipient window is closed bounces to its sender, once', async (t) => {
    const { as, server, folder, mailman } = await setting(t);
    const gone = await startAgent(server, folder, 'gone');
    const { stdout } = await as(server.first, 'send', 'gone', 'are you there?');
    const [, id] = /#(\w+)/.exec(stdout) ?? [];

    server.tmux('kill-pane', '-t', gone.pane);
    await mailman.until(/to gone bounced/);

    const received = await as(server.first, 'receive');
    assert.match(
      received.stdout,
      new RegExp(`^From: mailman\nID: .*\n\nMessage #${id} to gone was not read: its window is gone\\.$`),
    );
    assert.equal((await as(server.first, 'receive')).stdout, 'No unread messages\n');
    assert.match((await as(server.first, 'sent')).stdout, /bounced/);
  });
});

/** A repository with a tmux server and a mailman in it. */
async function setting(t: TestContext) {
  const onEnd = (end: () => unknown) => t.after(end);
  const folder = realpathSync(temporaryFolder(onEnd));
  const world = createMailWorld(onEnd, folder);
  const mailman = await startMailman(onEnd, world);
  return { ...world, folder, mailman };
}

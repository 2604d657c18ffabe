import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { startListening } from '../support/agentmail/mailman.ts';
import { createMailWorld } from '../support/agentmail/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** All of these windows exist at the same time. */
const DELIVERED = [
  '7',
  '-dash',
  '--json',
  '.hidden',
  'a.b.c',
  'a:b.c',
  '@0',
  '%0',
  '$0',
  '=a1',
  'two words',
  ' edges ',
  'é日本🙂',
  "it's",
  '"quoted"',
  'semi;',
  '*',
  'a1*',
  '#(touch pwned)',
  '#{pid}',
  '$(touch pwned)',
  '`touch pwned`',
  'back\\slash',
  'x'.repeat(200),
  'é'.repeat(100),
  'human-2',
  'mailman-2',
  'A1',
];

/** Names that cannot be the name of a mailbox file. */
const REFUSED = ['team/alpha', 'x/../a1', '../a1', '/a1', '.', '..', '..a1', 'y'.repeat(250)];

describe('unusual window names', () => {
  const folder = temporaryFolder(after);
  const { server, project, as, mailbox } = createMailWorld(after, folder);
  const a1 = server.first;
  const shown = (pane: string) => server.tmux('display-message', '-p', '-t', pane, '#{window_name}');
  const panes = new Map(DELIVERED.map((name) => [name, server.addWindow(name)]));
  const refused = new Map(REFUSED.map((name) => [name, server.addWindow(name)]));
  // tmux stores some names escaped, with backslashes doubled; the name it displays is the agent's name.
  const names = new Map([...panes].map(([name, pane]) => [name, shown(pane)]));

  for (const name of DELIVERED) {
    test(`mail to a window named ${name.slice(0, 20)} reaches only that window`, async () => {
      const pane = panes.get(name) ?? '';
      const called = names.get(name) ?? '';

      const sent = await as(a1, 'send', '-r', called, '-m', `for ${name}`);
      const received = await as(pane, 'receive');

      assert.match(sent.stdout, /^Message #\w{8} sent\n$/, sent.stderr);
      assert(received.stdout.endsWith(`\n\nfor ${name}`), received.stdout);
      assert.deepEqual(
        mailbox(called).map(({ message }) => message),
        [`for ${name}`],
      );
    });
  }

  for (const name of REFUSED) {
    test(`mail to a window named ${name.slice(0, 20)} is rejected with an error`, async () => {
      const before = readdirSync(join(project, '.agentmail', 'mailboxes'));

      const { code, stdout, stderr } = await as(a1, 'send', '-r', name, '-m', 'astray');

      assert.deepEqual([code, stdout], [1, '']);
      assert.match(stderr, /^error: (failed to write message: .+|recipient not found)\n/);
      assert.deepEqual(readdirSync(join(project, '.agentmail', 'mailboxes')), before);
      assert(refused.has(name));
    });
  }

  test('no command inside a window name was executed', () => {
    assert.deepEqual(
      readdirSync(project).filter((name) => name.includes('pwned')),
      [],
    );
  });

  test('a tmux target that is not a window name is not found', async () => {
    for (const name of ['0', 'a', 'two', 'main:a1', '!', '+1', '{start}']) {
      const { code, stderr } = await as(a1, 'send', '-r', name, '-m', 'astray');
      assert.deepEqual([code, stderr.split('\n')[0]], [1, 'error: recipient not found'], name);
    }
  });

  test('mail to a name that two windows share is rejected as ambiguous', async (t) => {
    const twins = [server.addWindow('twin'), server.addWindow('twin')];
    t.after(() => {
      for (const pane of twins) server.tmux('kill-pane', '-t', pane);
    });

    const { code, stdout, stderr } = await as(a1, 'send', 'twin', 'which?');
    const own = await as(twins[0] ?? '', 'recipients');

    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^error: recipient ambiguous: 2 windows are named 'twin'\n.+\n$/);
    assert.deepEqual(
      own.stdout.split('\n').filter((line) => line.startsWith('twin')),
      ['twin [you]', 'twin'],
    );
    assert.equal(existsSync(join(project, '.agentmail', 'mailboxes', 'twin.jsonl')), false);
  });

  test('a mailbox that is a symbolic link is rejected', async (t) => {
    const pane = server.addWindow('linked');
    t.after(() => server.tmux('kill-pane', '-t', pane));
    const secret = join(folder, 'secret');
    writeFileSync(secret, '');
    symlinkSync(secret, join(project, '.agentmail', 'mailboxes', 'linked.jsonl'));

    const { code, stderr } = await as(a1, 'send', 'linked', 'astray');

    assert.equal(code, 1);
    assert.match(stderr, /^error: failed to write message: .+\n/);
    assert.equal(readFileSync(secret, 'utf8'), '');
  });
});

test('a message to a window in another repository is stored, and its sender is told', async () => {
  const folder = temporaryFolder(after);
  const { as, server, mailbox } = createMailWorld(after, folder);
  const elsewhere = join(folder, 'elsewhere');
  mkdirSync(join(elsewhere, '.git'), { recursive: true });
  server.addWindow('away', { folder: elsewhere });
  server.addWindow('beside');

  const listed = await as(server.first, 'recipients');
  const sent = await as(server.first, 'send', 'away', 'hello');
  const json = await as(server.first, 'send', 'away', 'hello', '--json');
  const usual = await as(server.first, 'send', 'beside', 'hello');

  assert.match(listed.stdout, /^away$/m);
  assert.match(sent.stdout, /^Message #\S+ sent\n$/);
  assert.match(sent.stderr, /^Note: The window away is not in this repository: .+\n$/);
  assert.match(JSON.parse(json.stdout).note, /^The window away is not in this repository/);
  assert.equal(mailbox('away').length, 2);
  assert.deepEqual([usual.code, usual.stderr], [0, '']);
});

test('a listener delivers mail to a ready agent whose window was renamed', { timeout: 60_000 }, async (t) => {
  const onEnd = (end: () => unknown) => t.after(end);
  const { server, project, as } = createMailWorld(onEnd, temporaryFolder(onEnd));
  const pane = server.addWindow('before');
  await as(pane, 'status', 'ready');
  server.rename(pane, 'renamed');
  const listener = startListening(['wait', '--hook'], project, server.env(pane));
  t.after(() => listener.stop());

  await as(server.first, 'send', 'renamed', 'hello there');
  const code = await listener.ended();

  assert.equal(code, 2);
  assert.match(listener.said(), /hello there$/);
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { original } from '../../../tests/support/agentmail/original.ts';
import { temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import type { AgentContext } from '../agent.ts';
import { mailFoldersFor } from '../mailbox/mail-folders.ts';
import { createPostOffice } from './post-office.ts';

/** Current window names by window id. */
function session() {
  const root = temporaryRepository(after);
  const clock = manualClock();
  const post = createPostOffice({ clock, warn: assert.fail });
  after(() => post.close());
  const windows: Record<string, string> = { w1: 'a1', w2: 'a2' };

  function at(window: string, folder = root): AgentContext {
    const mailFolders = mailFoldersFor(folder);
    assert.ok(mailFolders);
    const peers = Object.entries(windows).map(([id, name]) => ({ name, window: id, isCurrent: id === window }));
    const me = peers.find(({ isCurrent }) => isCurrent);
    assert.ok(me);
    return { me, peers, mailFolders, ignored: new Set() };
  }

  async function receive(window: string, folder = root): Promise<string | undefined> {
    const taken = await post.take(at(window, folder));
    await taken?.done();
    return taken?.letter.message;
  }

  async function send(window: string, to: string, message: string, folder = root): Promise<void> {
    clock.advance(5);
    await post.send(at(window, folder), to, message);
  }

  return { root, windows, post, at, send, receive, mailbox: join(root, '.agentmail', 'mailboxes', 'a2.jsonl') };
}

describe('a renamed window', () => {
  test('receives letters to its old and its new name, in order', async () => {
    const { windows, send, receive } = session();
    await send('w1', 'a2', 'to the old name');
    windows.w2 = 'claude';
    await send('w1', 'claude', 'to the new name');

    const received = [await receive('w2'), await receive('w2'), await receive('w2')];

    assert.deepEqual(received, ['to the old name', 'to the new name', undefined]);
  });

  test('receives earlier letters even if another window has its old name now', async () => {
    const { windows, send, receive } = session();
    await send('w1', 'a2', 'for the first a2');
    windows.w2 = 'claude';
    windows.w3 = 'a2';
    await send('w1', 'a2', 'for the second a2');

    const [first, second] = [await receive('w2'), await receive('w3')];

    assert.deepEqual([first, second], ['for the first a2', 'for the second a2']);
    assert.deepEqual([await receive('w2'), await receive('w3')], [undefined, undefined]);
  });

  test('leaves its unread letters to a new window of the same name after it was closed', async () => {
    const { windows, send, receive } = session();
    await send('w1', 'a2', 'hello');
    delete windows.w2;
    windows.w3 = 'a2';

    assert.equal(await receive('w3'), 'hello');
  });

  test('has a history with the letters to all its names', async () => {
    const { windows, send, post, at } = session();
    await send('w1', 'a2', 'one');
    windows.w2 = 'claude';
    await send('w1', 'claude', 'two');

    const history = await post.history(at('w2'), { limit: 9 });

    assert.deepEqual(
      history.map(({ message }) => message),
      ['one', 'two'],
    );
    assert.deepEqual(await post.history(at('w2'), { limit: 9, with: 'nobody' }), []);
  });
});

describe('a mailbox shared with the original program', () => {
  test('returns letters sent by that program, and none that it has read', async () => {
    const { mailbox, send, receive } = session();
    await send('w1', 'a2', 'ours');
    await original.send(mailbox, { from: 'a1', to: 'a2', message: 'theirs' });
    await send('w1', 'a2', 'ours again');

    const received = [await receive('w2'), (await original.receive(mailbox))?.message, await receive('w2')];

    assert.deepEqual(received, ['ours', 'theirs', 'ours again']);
    assert.equal(await receive('w2'), undefined);
  });

  test('is read correctly after every rewrite by that program', async () => {
    const { mailbox, send, receive } = session();
    const received = [];
    for (let round = 0; round < 12; round++) {
      for (const part of ['a', 'b', 'c']) await send('w1', 'a2', `${round}${part}`);
      received.push(await receive('w2'), (await original.receive(mailbox))?.message, await receive('w2'));
      if (round % 3 === 2) await original.cleanUp(mailbox);
    }

    assert.deepEqual(
      received,
      Array.from({ length: 12 }, (_, round) => ['a', 'b', 'c'].map((part) => `${round}${part}`)).flat(),
    );
  });

  test('reports to the sender that a letter was fetched, by either program', async () => {
    const { mailbox, send, post, at } = session();
    await send('w1', 'a2', 'one');
    await send('w1', 'a2', 'two');

    await original.receive(mailbox);

    const sent = await post.sent(at('w1'), { limit: 9 });
    assert.deepEqual(
      sent.map(({ preview, state }) => [preview, state]),
      [
        ['two', 'stored'],
        ['one', 'fetched'],
      ],
    );
  });

  test('reports a letter to the sender as gone if the original program has read it and cleaned it away', async () => {
    const { mailbox, send, post, at } = session();
    await send('w1', 'a2', 'one');

    await original.receive(mailbox);
    await original.cleanUp(mailbox);

    assert.deepEqual(
      (await post.sent(at('w1'), { limit: 9 })).map(({ preview, state }) => [preview, state]),
      [['one', 'gone']],
    );
  });

  test('reports a letter to the sender as gone if another program has removed it', async () => {
    const { mailbox, send, post, at } = session();
    const states = async () => (await post.sent(at('w1'), { limit: 9 })).map(({ preview, state }) => [preview, state]);
    await send('w1', 'a2', 'one');
    await send('w1', 'a2', 'two');
    const lines = readFileSync(mailbox, 'utf8').split('\n');

    writeFileSync(mailbox, `${lines[1]}\n`);
    const withoutOne = await states();
    rmSync(mailbox);
    const withoutAll = await states();
    writeFileSync(mailbox, lines.join('\n'));

    assert.deepEqual(withoutOne, [
      ['two', 'stored'],
      ['one', 'gone'],
    ]);
    assert.deepEqual(withoutAll, [
      ['two', 'gone'],
      ['one', 'gone'],
    ]);
    assert.deepEqual(await states(), [
      ['two', 'stored'],
      ['one', 'stored'],
    ]);
  });

  test('returns no letter to an agent whose name differs only in case', async () => {
    const { mailbox, send, receive } = session();
    await send('w1', 'a2', 'for a2');
    const text = readFileSync(mailbox, 'utf8');
    writeFileSync(mailbox, text.replace('"to":"a2"', '"to":"A2"') + text);

    const received = [await receive('w2'), await receive('w2')];

    assert.deepEqual(received, ['for a2', undefined]);
  });
});

describe('a linked worktree', () => {
  test('with its own mail folder reads both folders, and letters to it are written to its own', async () => {
    const { root, post, at, send, receive } = session();
    const linked = join(root, 'linked');
    linkWorktree(root, linked);
    await send('w1', 'a2', 'to the main one');
    const own = join(linked, '.agentmail', 'mailboxes');
    mkdirSync(own, { recursive: true });
    await original.send(join(own, 'a2.jsonl'), { from: 'a1', to: 'a2', message: 'by the original program, there' });
    const here = at('w1');
    const peers = here.peers.map((peer) => (peer.name === 'a2' ? { ...peer, folder: linked } : peer));

    await post.send({ ...here, peers }, 'a2', 'to its own');
    const received = [await receive('w2', linked), await receive('w2', linked), await receive('w2', linked)];

    assert.deepEqual(received.sort(), ['by the original program, there', 'to its own', 'to the main one']);
    assert.match(readFileSync(join(own, 'a2.jsonl'), 'utf8'), /to its own/);
  });

  test('with a copy of the main mail folder receives each letter once, and skips a leased one', async () => {
    const { root, post, at, send, mailbox } = session();
    const linked = join(root, 'linked');
    linkWorktree(root, linked);
    await send('w1', 'a2', 'one');
    await send('w1', 'a2', 'two');
    cpSync(join(mailbox, '..'), join(linked, '.agentmail', 'mailboxes'), { recursive: true });

    const taken = [
      await post.take(at('w2', linked)),
      await post.take(at('w2', linked)),
      await post.take(at('w2', linked)),
    ];

    assert.deepEqual(
      taken.map((each) => each?.letter.message),
      ['one', 'two', undefined],
    );
  });
});

function linkWorktree(root: string, linked: string): void {
  const git = (...args: string[]) => execFileSync('git', ['-C', root, ...args], { stdio: 'pipe' });
  git('init', '-q');
  git('-c', 'user.name=Test', '-c', 'user.email=test@example.test', 'commit', '-q', '--allow-empty', '-m', 'first');
  git('worktree', 'add', '-q', linked);
}

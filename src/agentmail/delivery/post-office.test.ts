import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import type { MailRecipient } from './post.ts';
import { createPostOffice } from './post-office.ts';

const NAMES = ['a1', 'a2', 'a3'];

function office() {
  const clock = manualClock();
  const root = temporaryRepository(after);
  const warnings: string[] = [];
  const post = createPostOffice({ clock, warn: (message) => warnings.push(message) });
  after(() => post.close());
  return { clock, root, post, warnings, at: (name: string, names = NAMES) => standAt(root, name, names) };
}

describe('letters', () => {
  test('AGENT-03 AGENT-05 are received oldest first, and once each', async () => {
    const { post, at, clock } = office();
    for (const message of ['one', 'two', 'three']) {
      await post.send(at('a1'), 'a2', message);
      clock.advance(5);
    }

    const received = [];
    for (let taken = await post.take(at('a2')); taken; taken = await post.take(at('a2'))) {
      received.push([taken.letter.message, taken.remaining]);
      await taken.done();
    }

    assert.deepEqual(received, [
      ['one', 2],
      ['two', 1],
      ['three', 0],
    ]);
  });

  test('AGENT-18 create their folders, which other users cannot read', async () => {
    const { post, at, root } = office();
    const umask = process.umask(0);

    await post.send(at('a1'), 'a2', 'hello');
    process.umask(umask);

    const modes = ['', 'mailboxes', 'mailboxes/a2.jsonl', 'switchboard', 'switchboard/side.db'].map((path) =>
      (statSync(join(root, '.agentmail', path)).mode & 0o777).toString(8),
    );
    assert.deepEqual(modes, ['750', '750', '600', '750', '600']);
  });

  test('are received again after they were released', async () => {
    const { post, at } = office();
    await post.send(at('a1'), 'a2', 'first');
    await post.send(at('a1'), 'a2', 'second');

    const [first, second] = [await post.take(at('a2')), await post.take(at('a2'))];
    await first?.release();
    const again = await post.take(at('a2'));

    assert.deepEqual(
      [first, second, again].map((taken) => taken?.letter.message),
      ['first', 'second', 'first'],
    );
  });

  test('that were leased again are not released by the first reader', async () => {
    const { post, at, clock } = office();
    await post.send(at('a1'), 'a2', 'first');
    const late = await post.take(at('a2'));
    clock.advance(60_001);
    await post.take(at('a2'));

    await late?.release();

    assert.equal(await post.take(at('a2')), undefined);
  });

  test('are delivered again if they were not acknowledged within a minute', async () => {
    const { post, at, clock } = office();
    await post.send(at('a1'), 'a2', 'first');

    await post.take(at('a2'));
    const meanwhile = await post.take(at('a2'));
    clock.advance(60_001);
    const later = await post.take(at('a2'));

    assert.equal(meanwhile, undefined);
    assert.equal(later?.letter.message, 'first');
  });
});

describe('a recipient', () => {
  const refusals: [string, string, string, string?][] = [
    ['AGENT-07 that does not exist', 'a9', 'recipient not found', "Did you mean 'a2'?"],
    ['that is the sender itself', 'a1', 'recipient not found', 'That is your own window: nobody can write to himself.'],
    ['that is ignored', 'secret', 'recipient not found', "'secret' is listed in .agentmailignore."],
    ['whose name two windows have', 'twin', "recipient ambiguous: 2 windows are named 'twin'", 'Rename one of them.'],
    [
      'whose name is a path',
      'x/../a2',
      'no mailbox can have the name "x/../a2": it contains a slash',
      'Rename the tmux window.',
    ],
  ];
  for (const [who, to, message, hint] of refusals) {
    test(`${who} is refused, and nothing is written`, async () => {
      const { post, root } = office();
      const at = standAt(root, 'a1', ['a1', 'a2', 'secret', 'twin', 'twin', 'x/../a2'], ['secret']);

      const sending = post.send(at, to, 'hello');

      await assert.rejects(sending, { message, hint });
      assert.equal(statSync(join(root, '.agentmail', 'mailboxes'), { throwIfNoEntry: false }), undefined);
    });
  }

  test('that is the user needs no window', async () => {
    const { post, at, root } = office();

    const sent = await post.send(at('a1'), 'human', 'May I deploy?');

    assert.equal(sent.to, 'human');
    assert.match(readFileSync(join(root, '.agentmail', 'mailboxes', 'human.jsonl'), 'utf8'), /May I deploy\?/);
  });

  test('AGENT-15 receives at most 65,536 bytes', async () => {
    const { post, at } = office();

    await post.send(at('a1'), 'a2', 'é'.repeat(32_768));
    const sending = post.send(at('a1'), 'a2', `${'é'.repeat(32_768)}.`);

    await assert.rejects(sending, {
      code: 'TOO_LARGE',
      message: /^message exceeds maximum size of 64KB: it has 65537 bytes, and 65536 are allowed$/,
    });
  });
});

describe('the status of a renamed window', () => {
  const statusOf = (recipients: readonly MailRecipient[], wanted: string) =>
    recipients.find(({ name }) => name === wanted)?.status;

  for (const status of ['ready', 'work', 'offline'] as const) {
    test(`is ${status} still, also after it has received a letter`, async () => {
      const { post, at, clock } = office();
      await post.setStatus(at('a2'), status);
      clock.advance(5_000);
      const names = ['a1', 'renamed', 'a3'];

      const before = await post.recipients(at('a1', names));
      await post.send(at('a1', names), 'renamed', 'hello');
      const taken = await post.take(at('renamed', names));
      await taken?.done();
      const afterwards = await post.recipients(at('a1', names));

      assert.deepEqual([statusOf(before, 'renamed'), statusOf(afterwards, 'renamed')], [status, status]);
    });
  }

  test('is not that of another window that has its old name now', async () => {
    const { post, at } = office();
    await post.setStatus(at('a2'), 'work');
    const names = ['a1', 'renamed', 'a2'];
    await post.setStatus(at('a2', names), 'offline');

    const recipients = await post.recipients(at('a1', names));

    assert.deepEqual([statusOf(recipients, 'renamed'), statusOf(recipients, 'a2')], [undefined, 'offline']);
  });
});

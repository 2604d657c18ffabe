import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { original } from '../../../tests/support/agentmail/original.ts';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { systemClock } from '../../lib/clock.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import { encodeLine, parseLine } from './line.ts';

const TIME = '2030-01-01T00:00:00Z';

function office(content: string | Buffer) {
  const root = temporaryRepository(after);
  const mailboxes = join(root, '.agentmail', 'mailboxes');
  mkdirSync(mailboxes, { recursive: true });
  const mailbox = join(mailboxes, 'a2.jsonl');
  writeFileSync(mailbox, content);
  const warnings: string[] = [];
  const post = createPostOffice({ clock: systemClock, warn: (message) => warnings.push(message) });
  const quarantine = join(root, '.agentmail', 'switchboard', 'quarantine', 'a2.jsonl');
  return {
    mailbox,
    warnings,
    post,
    quarantined: () => (existsSync(quarantine) ? readFileSync(quarantine, 'latin1') : ''),
    send: (message: string) => post.send(standAt(root, 'a1', ['a1', 'a2']), 'a2', message),
    async receiveAll() {
      const received: string[] = [];
      for (;;) {
        const taken = await post.take(standAt(root, 'a2', ['a1', 'a2']));
        if (!taken) return received;
        received.push(taken.letter.message);
        await taken.done();
      }
    },
  };
}

function line(message: string): string {
  return encodeLine({ id: `id${message}`, from: 'a1', to: 'a2', message, isRead: false, createdAt: TIME });
}

describe('a damaged mailbox', () => {
  const damages: [string, string | Buffer][] = [
    ['a torn line', '{"id":"x","from":"a1","to":"a2","mess\n'],
    ['a line of spaces', '    \n'],
    ['a line of NULs', '\0\0\0\0\n'],
    ['a line that is not UTF-8', Buffer.from([0xff, 0xfe, 0x80, 10])],
    ['deep nesting', `${'[{"a":'.repeat(20_000)}\n`],
    ['another kind of JSON', '[1,2,3]\nnull\n"text"\n'],
    ['a huge line', `${'x'.repeat(3_000_000)}\n`],
  ];
  for (const [what, damage] of damages) {
    test(`returns every letter around ${what}, and the original program can read it again`, async () => {
      const { receiveAll, mailbox, quarantined, warnings, post } = office(
        Buffer.concat([Buffer.from(line('one')), Buffer.from(damage), Buffer.from(line('two'))]),
      );

      const received = await receiveAll();

      assert.deepEqual(received, ['one', 'two']);
      assert.equal(await original.receive(mailbox), undefined);
      const waste = Buffer.from(damage)
        .toString('latin1')
        .replace(/[\0 \n]/g, '');
      assert.equal(quarantined().replace(/[\0 \n]/g, ''), waste);
      assert.equal(warnings.length, waste === '' ? 0 : 1);
      post.close();
    });
  }

  test('accepts a letter after a torn last line, and loses neither', async () => {
    const { send, receiveAll, quarantined, mailbox, post } = office(`${line('one')}{"id":"x","fr`);

    await send('two');

    assert.deepEqual(await receiveAll(), ['one', 'two']);
    assert.equal(quarantined(), '{"id":"x","fr\n');
    assert.equal(await original.receive(mailbox), undefined);
    post.close();
  });

  test('retains a last letter without a newline', async () => {
    const { send, receiveAll, quarantined, post } = office(line('one').trimEnd());

    await send('two');

    assert.deepEqual(await receiveAll(), ['one', 'two']);
    assert.equal(quarantined(), '');
    post.close();
  });

  test('is repaired if a letter has an invalid timestamp', async () => {
    const { receiveAll, mailbox, post } = office(`${line('one').replace(TIME, '')}${line('two')}`);

    const received = await receiveAll();

    assert.deepEqual(received, ['one', 'two']);
    assert.equal(await original.receive(mailbox), undefined);
    post.close();
  });

  test('can have carriage returns, empty lines and keys in another order', async () => {
    const odd = '{"message":"odd","to":"a2","read_flag" : false,"from":"a1","id":"odd"}\n';
    const { receiveAll, mailbox, post } = office(`\r\n\n${line('one').replace('\n', '\r\n')}${odd}\n`);

    const received = await receiveAll();

    assert.deepEqual(received, ['one', 'odd']);
    assert.equal(await original.receive(mailbox), undefined);
    post.close();
  });

  test('returns every complete letter exactly once, in order, with any bytes between', async () => {
    const part = fc.oneof(
      { weight: 3, arbitrary: fc.constant('letter' as const) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 30 }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 12 }), async (parts) => {
        const letters = parts.map((each, index) => (each === 'letter' ? `m${index}` : undefined));
        const content = parts.map((each, index) =>
          each === 'letter' ? Buffer.from(line(`m${index}`)) : Buffer.concat([each, Buffer.from('\n')]),
        );
        const { receiveAll, mailbox, post } = office(Buffer.concat(content));

        const received = await receiveAll();

        assert.deepEqual(
          received,
          letters.filter((each) => each !== undefined),
        );
        const lines = readFileSync(mailbox, 'latin1').split('\n').filter(Boolean);
        assert.ok(lines.every((each) => parseLine(Buffer.from(each, 'latin1'))));
        post.close();
      }),
      { numRuns: 20 },
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fakeMail } from '../../../tests/support/agentmail/fake-mail.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import { computeSchemas } from '../../mcp/operation-schema.ts';
import { listRecipients } from './list-recipients.ts';
import { receive } from './receive.ts';
import { send } from './send.ts';
import { status } from './status.ts';

describe('sending', () => {
  test('AGENT-06 delivers, and returns the id', async () => {
    const { parts, said, recorded } = fakeMail();

    const output = await send.run({ recipient: 'a2', message: 'hello' }, contextWith(parts));

    assert.deepEqual(output, { message_id: 'Z1GQ4oET', status: 'stored', to: 'a2' });
    assert.equal(send.render?.(output), 'Message #Z1GQ4oET sent');
    assert.deepEqual(said, ['to a2: hello']);
    assert.partialDeepStrictEqual(recorded, [['sent', { id: 'Z1GQ4oET', from: 'a1', to: 'a2', message: 'hello' }]]);
  });

  for (const message of ['', undefined, null]) {
    test(`of ${JSON.stringify(message)} is refused: no message provided`, async () => {
      await assert.rejects(send.run({ recipient: 'a2', message }, contextWith(fakeMail().parts)), {
        code: 'VALIDATION_ERROR',
        message: 'no message provided',
      });
    });
  }

  test('to the own window is refused', async () => {
    await assert.rejects(send.run({ recipient: 'a1', message: 'x' }, contextWith(fakeMail().parts)), {
      message: 'cannot send message to self',
    });
  });

  test('a message that is not a string is refused', async () => {
    await assert.rejects(send.run({ recipient: 'a2', message: 5 }, contextWith(fakeMail().parts)), {
      code: 'VALIDATION_ERROR',
      message: 'message must be a text.',
    });
  });

  for (const [what, character, count] of [
    ['one byte', 'x', 65_536],
    ['two bytes', 'é', 32_768],
    ['four bytes', '😀', 16_384],
  ] as const) {
    test(`AGENT-15 accepts at most 65,536 bytes in characters of ${what}`, async () => {
      const { parts, said } = fakeMail();
      const most = character.repeat(count);

      await send.run({ recipient: 'a2', message: most }, contextWith(parts));

      await assert.rejects(send.run({ recipient: 'a2', message: `${most}x` }, contextWith(parts)), {
        code: 'TOO_LARGE',
        message: /65537 bytes, and 65536 are allowed/,
      });
      assert.equal(said.length, 1);
    });
  }
});

describe('receiving', () => {
  const letter = {
    id: 'abcd1234',
    from: 'a2',
    message: 'two\nlines',
    createdAt: '2026-11-15T19:50:15.714559876+01:00',
  };

  test('AGENT-03 returns sender, id and content in the format of the command', async () => {
    const { parts } = fakeMail([letter]);

    const output = await receive.run({}, contextWith(parts));

    assert.deepEqual(output, {
      id: 'abcd1234',
      from: 'a2',
      message: 'two\nlines',
      timestamp: '2026-11-15T18:50:15.714Z',
      remaining: 0,
    });
    assert.equal(receive.render?.(output), 'From: a2\nID: abcd1234\n\ntwo\nlines');
    assert.equal(receive.aside?.(output), undefined);
  });

  test('reports the number of other unread letters', async () => {
    const { parts } = fakeMail([letter, letter, letter]);

    const outputs = [await receive.run({}, contextWith(parts)), await receive.run({}, contextWith(parts))];

    assert.deepEqual(
      outputs.map((output) => receive.aside?.(output)),
      ['2 more messages are unread.', '1 more message is unread.'],
    );
  });

  test('AGENT-04 reports that nothing is unread', async () => {
    const output = await receive.run({}, contextWith(fakeMail().parts));

    assert.deepEqual(output, { status: 'No unread messages', remaining: 0 });
    assert.equal(receive.render?.(output), 'No unread messages');
    assert.equal(receive.aside?.(output), undefined);
  });

  test('AGENT-05 marks the letter as read once the response was sent', async () => {
    const { parts, said, recorded } = fakeMail([letter]);

    await receive.run({}, contextWith(parts));

    assert.deepEqual(said, ['read abcd1234']);
    assert.partialDeepStrictEqual(recorded, [['received', { id: 'abcd1234' }]]);
  });

  test('releases the letter if the response was not sent', async () => {
    const { parts, said, recorded } = fakeMail([letter]);

    await receive.run({}, { ...contextWith(parts), onDelivery: (settle) => void settle(false) });

    assert.deepEqual([said, recorded], [['put back abcd1234'], []]);
  });

  test('returns no timestamp for a letter without one', async () => {
    const { parts } = fakeMail([{ ...letter, createdAt: '0001-01-01T00:00:00Z' }]);

    const output = await receive.run({}, contextWith(parts));

    assert.equal('timestamp' in output, false);
  });
});

describe('the status', () => {
  for (const value of ['ready', 'work', 'offline']) {
    test(`AGENT-09 can be ${value}, which is confirmed`, async () => {
      const { parts, said } = fakeMail();

      const output = await status.run({ status: value }, contextWith(parts));

      assert.deepEqual([output, said], [{ status: value }, [`is ${value}`]]);
      assert.equal(status.render?.(output), `Status set to ${value}`);
    });
  }

  for (const [value, shown] of [
    ['busy', 'busy'],
    ['Ready', 'Ready'],
    ['', ''],
    [undefined, ''],
    [null, ''],
    [7, '7'],
    [['ready'], '["ready"]'],
    ['x'.repeat(300), `${'x'.repeat(200)}…`],
  ]) {
    test(`AGENT-10 cannot be ${JSON.stringify(value)?.slice(0, 20)}`, async () => {
      const { parts, said } = fakeMail();

      await assert.rejects(status.run({ status: value }, contextWith(parts)), {
        code: 'VALIDATION_ERROR',
        message: `Invalid status: ${shown}. Valid: ready, work, offline`,
      });
      assert.deepEqual(said, []);
    });
  }
});

describe('the recipients', () => {
  test('AGENT-12 are all agents, the current one marked', async () => {
    const output = await listRecipients.run({}, contextWith(fakeMail().parts));

    assert.deepEqual(output, {
      recipients: [
        { name: 'a1', is_current: true, status: 'work' },
        { name: 'a2', is_current: false },
      ],
    });
    assert.equal(listRecipients.render?.(output), 'a1 [you]\na2');
  });

  test('AGENT-13 report if there is no other agent', () => {
    const text = listRecipients.render?.({ recipients: [{ name: 'a1', is_current: true }] });

    assert.equal(text, 'a1 [you]\nNo other agent is available.');
  });
});

test('AGENT-10 a missing or non-string status passes the schema and is refused with our own error', () => {
  const parsed = [{}, { status: 7 }, { status: 'busy' }].map((input) => status.input.safeParse(input).success);

  assert.deepEqual(parsed, [true, true, true]);
});

test('AGENT-02 each tool has an input schema, although the operation validates the input itself', () => {
  const schemas = [send, receive, status, listRecipients].map((each) => computeSchemas(each).input);

  assert.deepEqual(schemas, [
    {
      type: 'object',
      properties: {
        recipient: { type: 'string', description: 'Who gets it: a name from the list of recipients.' },
        message: { type: 'string', description: 'What to say: at most 65,536 bytes of UTF-8.' },
      },
      required: ['recipient', 'message'],
      additionalProperties: false,
    },
    { type: 'object', properties: {}, additionalProperties: false },
    {
      type: 'object',
      properties: {
        status: { type: 'string', description: 'New status.', enum: ['ready', 'work', 'offline'] },
      },
      required: ['status'],
      additionalProperties: false,
    },
    { type: 'object', properties: {}, additionalProperties: false },
  ]);
});

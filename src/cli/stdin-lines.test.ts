import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Command, Field } from './command.ts';
import { type Items, itemsOnStdin } from './stdin-lines.ts';

const field: Field = {
  place: ['messages'],
  names: ['messages'],
  type: { kind: 'list', of: { kind: 'json', orText: false } },
  required: true,
};
const command: Command = {
  path: 'chat post',
  group: 'chat',
  description: '',
  examples: [],
  invalidInput: 'INVALID_PARAMETER',
  signature: () => ({ fields: [field], positionals: [], stdin: field }),
  run: async () => 0,
};

describe('items on standard input', () => {
  test('are one on each line that is not empty, however the stream is split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }) }, { noNullPrototype: true })),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        async (items, sizes) => {
          const bytes = Buffer.from(items.map((item) => `${JSON.stringify(item)}\n\n`).join(''));

          const read = (await all(piecesOf(bytes, sizes))).flatMap((batch) => batch.items);

          assert.deepEqual(read, items);
        },
      ),
    );
  });

  test('are returned as soon as their lines are complete, many of them in batches', async () => {
    const many = Array.from({ length: 450 }, (_, index) => `${index}\n`).join('');

    const batches = await all([Buffer.from('{"a":'), Buffer.from('1}\n2'), Buffer.from('\n'), Buffer.from(many)]);

    assert.deepEqual(
      batches.map(({ items }) => items.length),
      [1, 1, 200, 200, 50],
    );
  });

  test('need no newline after the last one', async () => {
    assert.deepEqual(await all([Buffer.from('1\n\n2')]), [
      { items: [1], lines: [1] },
      { items: [2], lines: [3] },
    ]);
  });

  test('before an invalid line are returned before its error', async () => {
    const read: unknown[] = [];
    const reading = async () => {
      for await (const { items } of itemsOnStdin(command, field, Readable.from([Buffer.from('1\n2\n{oops\n3\n')])))
        read.push(...items);
    };

    await assert.rejects(reading(), /Line 3 .* Nothing was taken from this line on\./);

    assert.deepEqual(read, [1, 2]);
  });

  test('that are not JSON or not UTF-8 are reported with the line number', async () => {
    await assert.rejects(all([Buffer.from('1\n{oops\n')]), /Line 2 of standard input: it takes JSON/);
    await assert.rejects(all([Buffer.from([0x31, 0x0a, 0xff, 0x0a])]), /Line 2 of standard input: it is not UTF-8/);
  });

  test('are not waited for on a terminal, and an endless line is refused', async () => {
    const terminal = Object.assign(Readable.from([]), { isTTY: true });

    await assert.rejects(collected(itemsOnStdin(command, field, terminal)), { code: 'INVALID_PARAMETER' });
    await assert.rejects(all(Array.from({ length: 20 }, () => Buffer.alloc(65_536, 'x'))), { code: 'TOO_LARGE' });
  });
});

function all(pieces: readonly Buffer[]): Promise<Items[]> {
  return collected(itemsOnStdin(command, field, Readable.from(pieces)));
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function piecesOf(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

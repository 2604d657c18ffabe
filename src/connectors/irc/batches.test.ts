import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBatches, type LineBatch } from './batches.ts';
import type { ParsedLine } from './line.ts';

test('lines of a batch are returned together when it ends; other lines immediately', () => {
  const batches = createBatches();

  const taken = [
    line('BATCH', ['+1', 'chathistory', '#x'], { label: 'a' }),
    line('PRIVMSG', ['#x', 'old'], { batch: '1' }),
    line('PRIVMSG', ['#x', 'new']),
    line('BATCH', ['-1']),
  ].map(batches.take);

  assert.deepEqual(taken, [
    undefined,
    undefined,
    line('PRIVMSG', ['#x', 'new']),
    { type: 'chathistory', params: ['#x'], label: 'a', lines: [line('PRIVMSG', ['#x', 'old'], { batch: '1' })] },
  ]);
});

test('the lines of a nested batch are added to the outer batch', () => {
  const batches = createBatches();

  const taken = [
    line('BATCH', ['+1', 'chathistory', '#x']),
    line('BATCH', ['+2', 'draft/multiline', '#x'], { batch: '1' }),
    line('PRIVMSG', ['#x', 'one'], { batch: '2' }),
    line('BATCH', ['-2']),
    line('BATCH', ['-1']),
  ].map(batches.take);

  assert.deepEqual(taken.slice(0, 4), [undefined, undefined, undefined, undefined]);
  assert.equal((taken[4] as LineBatch).lines.length, 1);
});

test('the end of an unopened batch is ignored, and its lines are treated as single lines', () => {
  const batches = createBatches();
  const stray = line('PRIVMSG', ['#x', 'hi'], { batch: '9' });

  assert.equal(batches.take(line('BATCH', ['-9'])), undefined);
  assert.deepEqual(batches.take(stray), stray);
});

test('throws if a server opens too many batches', () => {
  const batches = createBatches();

  assert.throws(() => {
    for (let id = 0; id < 1_000; id++) batches.take(line('BATCH', [`+${id}`, 'x']));
  });
});

function line(command: string, params: string[], tags: ParsedLine['tags'] = {}): ParsedLine {
  return { tags, nick: 'bob', prefix: 'bob!b@host', fromServer: false, command, params };
}

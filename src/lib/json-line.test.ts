import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { jsonLine } from './json-line.ts';

const VALUE = { content: 'one\u2028two\u2029three\u0085four\nfive' };

test('JSON is one line, also for readers of Unicode line breaks, and parses as the same value', async () => {
  const line = jsonLine(JSON.stringify(VALUE));

  const lines: string[] = [];
  const reader = createInterface({ input: Readable.from([`${line}\n`]) }).on('line', (each) => lines.push(each));
  await once(reader, 'close');

  assert.deepEqual(lines, [line]);
  assert.doesNotMatch(line, /[\u0085\u2028\u2029]/);
  assert.deepEqual(JSON.parse(line), VALUE);
});

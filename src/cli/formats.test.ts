import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { runCli, toFile } from '../../tests/support/cli/run-cli.ts';
import { operation } from '../operation.ts';
import { inFormat } from './formats.ts';

const Thing = z.object({ id: z.string(), name: z.string(), tags: z.array(z.string()).optional() });

const listThings = operation({
  cli: {
    path: 'things list',
    omit: ['hidden'],
    also: { kind: ['type'] },
    letters: { f: 'follow' },
    list: {
      key: 'things',
      columns: ['name', 'number'],
      row: ({ id, name }) => ({ name, number: id }),
      line: ({ name }) => `- ${name}`,
      newestLast: true,
    },
  },
  kind: 'query',
  effect: 'reads',
  description: 'Things.',
  input: z.strictObject({
    kind: z.string().optional(),
    hidden: z.int().optional(),
    follow: z.boolean().default(false),
  }),
  output: z.object({ things: z.array(Thing), rest: z.int(), next_cursor: z.string().optional() }),
  run: async ({ kind = 'thing', hidden = 2 }) => things(kind, hidden),
  follow: {
    isWanted: ({ follow }) => follow,
    async *stream({ kind = 'thing' }) {
      for (const number of [2, 1]) yield things(kind, number);
    },
    resume: (input) => input,
  },
});

function things(kind: string, number: number) {
  return {
    things: [
      { id: String(number), name: `${kind}\n${number}`, tags: ['x'] },
      { id: '=1', name: 'plain' },
    ],
    rest: number - 1,
  };
}

const cli = async (...args: string[]) => runCli(['things', 'list', ...args], { operations: [listThings] });

describe('a list', () => {
  test('is a table of its columns, the newest last, by default', async () => {
    const { stdout } = await cli();

    assert.equal(stdout, 'NAME      NUMBER\nplain     =1\nthing\\n2  2\nrest: 1\n');
    assert.equal((await cli('--format', 'table')).stdout, stdout);
  });

  test('has exactly one line per item', async () => {
    assert.equal((await cli('--format', 'compact')).stdout, '- plain\n- thing\\n2\n');
  });

  test('of long lines is compact unless a table is requested', async () => {
    const list = listThings.cli?.list;
    const longLines = { ...listThings, cli: { path: 'things list', list: { ...list, format: 'compact' as const } } };
    const run = async (...args: string[]) =>
      runCli(['things', 'list', ...args], { operations: [longLines as typeof listThings] });

    assert.equal((await run()).stdout, '- plain\n- thing\\n2\n');
    assert.match((await run('--format', 'table')).stdout, /^NAME/);
  });

  test('is JSON as with --json, in its own order', async () => {
    const { stdout } = await cli('--format', 'json');

    assert.equal(stdout, (await cli('--json')).stdout);
    assert.deepEqual(
      JSON.parse(stdout).things.map(({ id }: { id: string }) => id),
      ['2', '=1'],
    );
  });

  test('is CSV of its scalar values', async () => {
    assert.equal((await cli('--format', 'csv')).stdout, `id,name\r\n"'=1",plain\r\n2,"thing\n2"\r\n`);
  });

  test('that is followed has its header once, and is lines by default', async () => {
    const csv = await cli('-f', '--format', 'csv');
    const chosen = await cli('-f');

    assert.equal(csv.stdout, `id,name\r\n"'=1",plain\r\n2,"thing\n2"\r\n"'=1",plain\r\n1,"thing\n1"\r\n`);
    assert.equal(chosen.stdout, 'NAME      NUMBER\nplain     =1\nthing\\n2  2\nrest: 1\n- plain\n- thing\\n1\n');
  });

  test('that is empty says so', () => {
    const list = listThings.cli?.list;
    assert.ok(list);

    const shown = { operation: listThings, list, input: {}, output: { things: [] }, goesOn: false };

    assert.equal(inFormat('table', shown, toFile), 'No things.\n');
    assert.equal(inFormat('compact', shown, toFile), '');
  });

  test('has sentences below it instead of single values, if the operation provides them', () => {
    const list = {
      ...listThings.cli?.list,
      key: 'things',
      columns: ['number'],
      line: () => '',
      notes: () => ['All of\nit.'],
    };
    const output = { things: [{ id: '1' }], rest: 1, next_cursor: '1' };

    const text = inFormat('table', { operation: listThings, list, input: {}, output, goesOn: false }, toFile);

    assert.match(text, /1\nAll of\\nit\.\nThere is more: add --cursor 1\n$/);
  });

  test('has aliases for its options, and none for fields that are not for a command line', async () => {
    const { stdout } = await cli('--type', 'x', '--format', 'compact');
    const hidden = await cli('--hidden', '3');
    const wrong = await cli('--format', 'xml');

    assert.equal(stdout, '- plain\n- x\\n2\n');
    assert.equal(hidden.code, 2);
    assert.equal(wrong.code, 2);
  });
});

import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import { followLines, lastLines, linesAfter } from './log-lines.ts';

let path: string;

beforeEach((context) => {
  const { after } = context as TestContext;
  path = join(temporaryFolder(after.bind(context)), 'daemon.log');
});

describe('the lines of a log', () => {
  test('are the last ones, without an incomplete one', async () => {
    writeFileSync(path, 'one\ntwo\n\nfour\nunfin');

    assert.deepEqual(await lastLines(path, 3), { path, lines: ['two', '', 'four'], position: 14 });
  });

  test('are none if the file is missing or empty', async () => {
    const none = await lastLines(path, 3);
    writeFileSync(path, '');
    const empty = await lastLines(path, 3);

    assert.deepEqual([none.lines, none.position, empty.lines, empty.position], [[], 0, [], 0]);
  });

  test('cannot be read from what is no readable file, and the error names it', async () => {
    mkdirSync(path);

    await assert.rejects(lastLines(path, 3), {
      code: 'SERVICE_UNAVAILABLE',
      message: `${path} cannot be read: the file system refused it.`,
    });
  });

  test('after a position are the remaining ones, and all of a file that is shorter than that', async () => {
    writeFileSync(path, 'one\ntwo\n');

    assert.deepEqual((await linesAfter(path, 4)).lines, ['two']);
    assert.deepEqual((await linesAfter(path, 400)).lines, ['one', 'two']);
  });

  test('are all followed, even if they exceed one read', async () => {
    const long = 'x'.repeat(5 * 1024 * 1024);
    writeFileSync(path, `${long}\n`);
    const over = new AbortController();

    let length = 0;
    for await (const { lines } of followLines(path, 0, over.signal)) {
      length += lines.join('').length;
      if (length === long.length) over.abort();
    }

    assert.equal(length, long.length);
  });

  test('are followed as they are written, also into a new file', { timeout: 20_000 }, async () => {
    const over = new AbortController();
    const steps = [
      () => appendFileSync(path, 'two\nth'),
      () => appendFileSync(path, 'ree\n'),
      () => renameSync(path, `${path}.1`),
      () => over.abort(),
    ];
    writeFileSync(path, 'one\n');
    const seen: string[] = [];

    for await (const { lines } of followLines(path, 0, over.signal)) {
      seen.push(...lines);
      if (seen.length === 3) {
        steps[2]?.();
        writeFileSync(path, '4\n');
      } else steps[seen.length - 1]?.();
    }

    assert.deepEqual(seen, ['one', 'two', 'three', '4']);
  });
});

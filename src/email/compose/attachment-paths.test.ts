import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { readAttachments } from './attachments.ts';

function prepare(t: TestContext): { home: string; folder: string } {
  const home = temporaryFolder((clean) => t.after(clean));
  const folder = join(home, 'attachments');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(home, 'secret.txt'), 'secret');
  writeFileSync(join(folder, 'a.pdf'), 'PDF');
  writeFileSync(join(folder, 'sub', 'b.txt'), 'text');
  return { home, folder };
}

describe('attachments', () => {
  test('are files of their folder, by relative or absolute path', async (t) => {
    const { folder } = prepare(t);

    const read = await readAttachments([{ path: 'a.pdf' }, { path: join(folder, 'sub', 'b.txt'), name: 'c.md' }], {
      folder,
    });

    assert.deepEqual(
      read.map(({ name, mime, content }) => [name, mime, String(Buffer.from(content))]),
      [
        ['a.pdf', 'application/pdf', 'PDF'],
        ['c.md', 'text/markdown', 'text'],
      ],
    );
  });

  test('are content in base64', async (t) => {
    const { folder } = prepare(t);
    const content_base64 = `${Buffer.from('Hello').toString('base64').slice(0, 4)}\n${Buffer.from('Hello').toString('base64').slice(4)}`;

    const [read] = await readAttachments([{ name: 'x.txt', content_base64 }], { folder });

    assert.deepEqual(
      [read?.name, read?.mime, String(Buffer.from(read?.content ?? []))],
      ['x.txt', 'text/plain', 'Hello'],
    );
    for (const wrong of ['a', '%%%%', 'ab=c', 'ab===', 'data:text/plain;base64,SGVsbG8=']) {
      await assert.rejects(
        readAttachments([{ name: 'x', content_base64: wrong }], { folder }),
        { code: 'VALIDATION_ERROR', field: 'attachments' },
        wrong,
      );
    }
  });

  test('are no files elsewhere, whether those exist or not', async (t) => {
    const { home, folder } = prepare(t);
    mkdirSync(`${folder}-2`);
    writeFileSync(join(`${folder}-2`, 'x'), 'x');

    for (const path of [
      '../secret.txt',
      join(home, 'secret.txt'),
      '../nothing',
      'sub/../../secret.txt',
      '/etc/passwd',
      join(`${folder}-2`, 'x'),
      '.',
      '..',
    ]) {
      await assert.rejects(readAttachments([{ path }], { folder }), { code: 'FORBIDDEN', field: 'attachments' }, path);
    }
  });

  test('are no links that leave the folder', async (t) => {
    const { home, folder } = prepare(t);
    symlinkSync(join(home, 'secret.txt'), join(folder, 'link'));
    symlinkSync(home, join(folder, 'up'));
    symlinkSync(join(folder, 'a.pdf'), join(folder, 'inside'));

    await assert.rejects(readAttachments([{ path: 'link' }], { folder }), { code: 'FORBIDDEN' });
    await assert.rejects(readAttachments([{ path: 'up/secret.txt' }], { folder }), { code: 'FORBIDDEN' });
    assert.equal((await readAttachments([{ path: 'inside' }], { folder })).length, 1);
  });

  test('are regular files', async (t) => {
    const { folder } = prepare(t);
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')]);

    for (const path of ['pipe', 'sub']) {
      await assert.rejects(readAttachments([{ path }], { folder }), { code: 'VALIDATION_ERROR' }, path);
    }
    await assert.rejects(readAttachments([{ path: '/dev/zero' }], { folder, person: { workingDirectory: '/' } }), {
      code: 'VALIDATION_ERROR',
    });
    await assert.rejects(readAttachments([{ path: 'missing' }], { folder }), { code: 'NOT_FOUND' });
    await assert.rejects(readAttachments([{ path: 'a\0b' }], { folder }), { code: 'NOT_FOUND' });
  });

  test('of the person at the command line may be anywhere', async (t) => {
    const { home, folder } = prepare(t);

    const [read] = await readAttachments([{ path: 'secret.txt' }], { folder, person: { workingDirectory: home } });

    assert.equal(String(Buffer.from(read?.content ?? [])), 'secret');
  });

  test('are not larger than servers take, nor too many', async (t) => {
    const { folder } = prepare(t);
    writeFileSync(join(folder, 'large'), '');
    truncateSync(join(folder, 'large'), 20 * 1024 * 1024);

    await assert.rejects(readAttachments([{ path: 'large' }, { path: 'large' }], { folder }), {
      code: 'TOO_LARGE',
      field: 'attachments',
    });
    await assert.rejects(readAttachments(Array(51).fill({ path: 'a.pdf' }), { folder }), { code: 'VALIDATION_ERROR' });
  });

  test('of an account that has no folder yet are not found', async (t) => {
    const folder = join(
      temporaryFolder((clean) => t.after(clean)),
      'attachments',
    );

    await assert.rejects(readAttachments([{ path: 'a.pdf' }], { folder }), { code: 'NOT_FOUND' });
  });
});

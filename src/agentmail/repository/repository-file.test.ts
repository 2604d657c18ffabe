import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chownSync,
  closeSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { listFolder, openRepositoryFile, prepareFolder, readRepositoryFile } from './repository-file.ts';

const MAX = 1024;

const KINDS: Record<string, (path: string) => void> = {
  'a link to /dev/zero': (path) => void symlinkSync('/dev/zero', path),
  'a link to a file outside': (path) => void symlinkSync('/etc/passwd', path),
  'a link to nothing': (path) => void symlinkSync('/nowhere/at/all', path),
  'a named pipe': (path) => void execFileSync('sh', ['-c', 'mkfifo "$0"', path]),
  'a folder': (path) => void mkdirSync(path),
  'a sparse file of a terabyte': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 40);
  },
  'a hard link': (path) => {
    writeFileSync(`${path}.other`, 'precious');
    linkSync(`${path}.other`, path);
  },
};

describe('a file of a repository', { timeout: 30_000 }, () => {
  test('is read as a whole, through links above the repository too', () => {
    const root = temporaryFolder(after);
    mkdirSync(join(root, 'project'));
    symlinkSync(join(root, 'project'), join(root, 'link'));
    writeFileSync(join(root, 'project', 'file'), 'text');

    const content = readRepositoryFile(join(root, 'link', 'file'), { within: join(root, 'link'), maxBytes: MAX });

    assert.equal(content?.toString(), 'text');
  });

  test('may be missing, with its folders', () => {
    const within = temporaryFolder(after);

    const found = [join(within, 'none'), join(within, 'no', 'folder', 'none')].map((path) =>
      readRepositoryFile(path, { within, maxBytes: MAX }),
    );

    assert.deepEqual(found, [undefined, undefined]);
  });

  for (const [what, make] of Object.entries(KINDS)) {
    test(`is refused at once if it is ${what}`, () => {
      const within = temporaryFolder(after);
      const path = join(within, 'file');
      make(path);

      for (const access of ['read', 'write', 'append', 'replace'] as const) {
        const open = () => openRepositoryFile(path, { within, maxBytes: MAX, access, create: access !== 'read' });
        assert.throws(open, { code: 'CONFLICT', message: / is .+, which is not used for mail$/ });
      }
    });
  }

  test('is refused behind a linked folder, and nothing is made there', () => {
    const [within, elsewhere] = [temporaryFolder(after), temporaryFolder(after)];
    symlinkSync(elsewhere, join(within, 'linked'));

    const path = join(within, 'linked', 'deep', 'file');
    const attempts = [
      () => openRepositoryFile(path, { within, maxBytes: MAX, access: 'write', create: true }),
      () => prepareFolder(dirname(path), within),
      () => listFolder(dirname(path), { within, max: 10 }),
    ];

    for (const attempt of attempts) assert.throws(attempt, { code: 'CONFLICT', message: /linked is a symbolic link/ });
    assert.deepEqual(readdirSync(elsewhere), []);
  });

  test('is never outside the folder that the user chose', () => {
    const within = temporaryFolder(after);

    const open = () => readRepositoryFile(join(within, '..', 'other', 'file'), { within, maxBytes: MAX });

    assert.throws(open, { code: 'CONFLICT' });
  });

  const isRoot = process.getuid?.() === 0;
  test('is refused if it belongs to another user, unless it is a file of git', {
    skip: !isRoot && 'needs root',
  }, () => {
    const within = temporaryFolder(after);
    const path = join(within, 'file');
    writeFileSync(path, 'text');
    chownSync(path, 12_345, 12_345);

    assert.throws(() => readRepositoryFile(path, { within, maxBytes: MAX }), { message: /is another user's/ });
    assert.equal(readRepositoryFile(path, { within, maxBytes: MAX, ofAnyUser: true })?.toString(), 'text');
  });

  test('is made with its folders, and is for this user only', () => {
    const within = temporaryFolder(after);
    const path = join(within, 'a', 'b', 'file');

    const file = openRepositoryFile(path, { within, maxBytes: MAX, access: 'write', create: true });

    assert.ok(file !== undefined);
    closeSync(file);
    assert.equal(readFileSync(path, 'utf8'), '');
  });

  test('is listed up to a limit', () => {
    const within = temporaryFolder(after);
    for (let number = 0; number < 20; number++) writeFileSync(join(within, `${number}`), '');

    assert.equal(listFolder(within, { within, max: 5 }).length, 5);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { entriesOfIndex } from './git-index.ts';
import { trackedMail } from './tracked-mail.ts';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test'];

function git(folder: string, ...args: string[]): void {
  execFileSync('git', ['-C', folder, ...IDENTITY, ...args], { stdio: 'pipe' });
}

function repositoryWith(files: readonly string[], { init = [], add = [] }: { init?: string[]; add?: string[] } = {}) {
  const root = temporaryFolder(after);
  git(root, 'init', '-q', ...init);
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), 'text');
  }
  git(root, ...add, 'add', '-A');
  return root;
}

function tracks(root: string, file: string): boolean {
  return trackedMail(join(root, '.agentmail')).has(join(root, '.agentmail', file));
}

const FILES = [
  '-dash',
  '.agentmail/mailboxes/a.jsonl',
  '.AgentMail/Recipients.jsonl',
  '.github/x',
  'README.md',
  'src/a.ts',
];

describe('what git tracks of mail', () => {
  for (const [form, options] of Object.entries({
    'the usual index': {},
    'an index of version 4': { add: ['-c', 'index.version=4'] },
    'an index of version 3': { add: [] },
    'a repository with SHA-256': { init: ['--object-format=sha256'] },
    'a split index': { add: ['-c', 'core.splitIndex=true'] },
  })) {
    test(`is found in ${form}`, () => {
      const root = repositoryWith(FILES, options);
      if (form.endsWith('version 3')) git(root, 'update-index', '--skip-worktree', '--', '-dash');
      if (form.startsWith('a split')) {
        git(root, '-c', 'core.splitIndex=true', 'update-index', '--split-index');
        writeFileSync(join(root, 'README.md'), 'changed');
        git(root, '-c', 'core.splitIndex=true', 'add', '-A');
      }

      const found = ['mailboxes/a.jsonl', 'recipients.jsonl', 'mailboxes/b.jsonl', 'switchboard/side.db'].map((file) =>
        tracks(root, file),
      );

      assert.deepEqual(found, [true, true, false, false]);
    });
  }

  test('is found in a linked worktree of a repository with SHA-256', () => {
    const root = repositoryWith(FILES, { init: ['--object-format=sha256'] });
    git(root, 'commit', '-q', '-m', 'all');
    const linked = join(temporaryFolder(after), 'linked');
    git(root, 'worktree', 'add', '-q', linked);

    assert.deepEqual([tracks(linked, 'mailboxes/a.jsonl'), tracks(linked, 'mailboxes/b.jsonl')], [true, false]);
  });

  test('is nothing in a repository without an index, or without mail in it', () => {
    const fresh = temporaryFolder(after);
    mkdirSync(join(fresh, '.git'));
    const other = repositoryWith(['.zshrc', 'a', 'b']);

    assert.deepEqual(
      [fresh, other].map((root) => trackedMail(join(root, '.agentmail')).isEmpty),
      [true, true],
    );
  });

  test('changes with the index', () => {
    const root = repositoryWith(['.agentmail/mailboxes/a.jsonl']);

    const before = tracks(root, 'mailboxes/a.jsonl');
    git(root, 'rm', '-q', '-r', '--cached', '.agentmail');

    assert.deepEqual([before, tracks(root, 'mailboxes/a.jsonl')], [true, false]);
  });

  test('is everything below a submodule', () => {
    const root = repositoryWith(['README.md']);
    git(root, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},.agentmail`);

    assert.equal(tracks(root, 'mailboxes/a.jsonl'), true);
  });

  for (const [what, make] of Object.entries({
    'is no index': (index: string) => writeFileSync(index, 'nonsense that is longer than a header'),
    'is a link to /dev/zero': (index: string) => symlinkSync('/dev/zero', index),
    'is a huge sparse file': (index: string) => {
      const header = Buffer.from('DIRC\0\0\0\x02\xff\xff\xff\xff', 'latin1');
      writeFileSync(index, header);
      truncateSync(index, 2 ** 39);
    },
  })) {
    test(`is everything if the index ${what}`, { timeout: 30_000 }, () => {
      const root = temporaryFolder(after);
      mkdirSync(join(root, '.git'));
      make(join(root, '.git', 'index'));
      const findings: string[] = [];

      const tracked = trackedMail(join(root, '.agentmail'), (finding) => findings.push(finding));

      assert.equal(tracked.has(join(root, '.agentmail', 'mailboxes', 'a.jsonl')), true);
      assert.equal(findings.length, 1);
    });
  }

  test('is read from any bytes without an exception, and never beyond them', () => {
    const index = readFileSync(join(repositoryWith(FILES), '.git', 'index'));
    const changed = fc.array(fc.tuple(fc.nat(index.length - 1), fc.nat(255)), { maxLength: 20 });

    fc.assert(
      fc.property(changed, fc.nat(index.length), fc.constantFrom(20, 32), (changes, length, hashBytes) => {
        const bytes = Buffer.from(index);
        for (const [at, value] of changes) bytes[at] = value;
        const found = entriesOfIndex(bytes.subarray(0, length), { until: '.agentmail0', hashBytes });
        assert.ok(found === undefined || found.entries.every(({ path }) => path.length <= index.length * index.length));
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MARK_VARIABLE } from './process-mark.ts';
import { type ProcessEntry, parsePs } from './process-table.ts';
import { membersOf } from './process-tree.ts';

function entry(pid: number, parent: number, given: Partial<ProcessEntry> = {}): ProcessEntry {
  return { pid, parent, group: 1, started: 'first', isZombie: false, ...given };
}

const ROOTS = { group: 10, isMark: (mark: string) => mark === 'ours' };

function pidsOf(processes: ProcessEntry[], known?: Map<number, string>): number[] {
  return membersOf(processes, ROOTS, known).map(({ pid }) => pid);
}

describe('the processes of a server', () => {
  test('members are those of its group, those with its mark, and descendants of both', () => {
    const processes = [
      entry(10, 1, { group: 10 }),
      entry(11, 10, { group: 11 }),
      entry(12, 11, { group: 12 }),
      entry(13, 1, { group: 10 }),
      entry(14, 1, { mark: 'ours' }),
      entry(15, 1, { mark: 'of another server' }),
      entry(16, 1),
    ];

    assert.deepEqual(pidsOf(processes), [10, 11, 12, 13, 14]);
  });

  test('a process that was a member stays one when its parent has ended, unless another one got its number', () => {
    const known = new Map<number, string>();
    pidsOf([entry(10, 1, { group: 10 }), entry(11, 10), entry(12, 10)], known);

    assert.deepEqual(pidsOf([entry(11, 1), entry(12, 1, { started: 'later' })], known), [11]);
  });

  test('a process that has ended and was not noticed by its parent does not count', () => {
    assert.deepEqual(pidsOf([entry(10, 1, { group: 10, isZombie: true }), entry(11, 10)]), [11]);
  });

  test('this process and its parents are never members, and a cycle ends', () => {
    const processes = [
      entry(process.pid, 20, { mark: 'ours' }),
      entry(20, 21, { mark: 'ours' }),
      entry(21, 20, { group: 10 }),
      entry(30, 31),
      entry(31, 30),
    ];

    assert.deepEqual(pidsOf(processes), []);
  });
});

test('processes and their marks are read from the output of ps', () => {
  const output = [
    '    1     0     1 Ss   Wed Nov 18 04:54:53 2026     /sbin/launchd',
    `  811   810   810 S    Wed Nov  8 04:54:53 2026     node server.js a=b HOME=/Users/ann ${MARK_VARIABLE}=abc.1.2 LANG=C`,
    '  812   811   810 Z+   Wed Nov 18 04:55:01 2026     (node)',
    '',
  ].join('\n');

  assert.deepEqual(parsePs(output), [
    { pid: 1, parent: 0, group: 1, started: 'Wed Nov 18 04:54:53 2026', isZombie: false },
    { pid: 811, parent: 810, group: 810, started: 'Wed Nov  8 04:54:53 2026', isZombie: false, mark: 'abc.1.2' },
    { pid: 812, parent: 811, group: 810, started: 'Wed Nov 18 04:55:01 2026', isZombie: true },
  ]);
});

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { original } from '../support/agentmail/original.ts';
import { temporaryRepository } from '../support/agentmail/repository.ts';
import { allEnded, endAll, moreIsSaid, startIndependentReader, startMailWorker } from '../support/agentmail/workers.ts';

const COUNT = process.env.SOAK ? 300 : 40;
const TOTAL = COUNT * 4;

test(`the original program and ours on one mailbox, ${TOTAL} letters: none is lost, no line is unreadable`, async () => {
  const root = temporaryRepository(after);
  const mailbox = join(root, '.agentmail', 'mailboxes', 'hub.jsonl');
  mkdirSync(join(mailbox, '..'), { recursive: true });
  writeFileSync(mailbox, '');
  const names = ['a1', 'a2', 'b1', 'b2', 'hub'].join(',');
  const start = (work: string, me: string, to: string, count: string) =>
    startMailWorker(work, root, me, names, to, count);

  const readers = ['receive', 'original-receive'].map((work) => start(work, 'hub', '', 'Infinity'));
  const senders = [
    ...['a1', 'a2'].map((me) => start('send', me, 'hub', String(COUNT))),
    ...['b1', 'b2'].map((me) => start('original-send', me, 'hub', String(COUNT))),
  ];
  const received = () => new Set(readers.flatMap((reader) => reader.said('received')).map(withoutId));
  try {
    await allEnded(senders);
    while (received().size < TOTAL) await moreIsSaid(readers);
  } finally {
    await endAll(readers);
  }

  assert.deepEqual([...received()].sort(), senders.flatMap((sender) => sender.said('sent').map(withoutId)).sort());
  assert.equal(await original.receive(mailbox), undefined);
  assert.equal(existsSync(join(root, '.agentmail', 'switchboard', 'quarantine')), false);
});

test('a letter that our reader has printed is not taken by the original beside it before it is marked', async () => {
  const root = temporaryRepository(after);
  const mailbox = join(root, '.agentmail', 'mailboxes', 'hub.jsonl');
  mkdirSync(join(mailbox, '..'), { recursive: true });
  writeFileSync(mailbox, '');
  const ours = startMailWorker('print-and-mark', root, 'hub', 'a1,hub');
  const theirs = startIndependentReader(mailbox);
  const read = () => new Set([...ours.said('printed').map(idOf), ...theirs.said('took')]);
  try {
    while ([ours, theirs].some((reader) => reader.said('started').length === 0)) await moreIsSaid([ours, theirs]);
    await allEnded([startMailWorker('original-send', root, 'a1', 'a1,hub', 'hub', String(COUNT * 4))]);
    while (read().size < COUNT * 4) await moreIsSaid([ours, theirs]);
  } finally {
    await endAll([ours, theirs]);
  }

  const printed = timesOf(ours.said('printed'));
  const foundLater = [...timesOf(theirs.said('found'))].filter(([id, time]) => time > (printed.get(id) ?? time));
  assert.ok(printed.size > 0 && theirs.said('took').length > 0, 'both have read');
  assert.deepEqual(foundLater, []);
  assert.equal(ours.said('printed').length, printed.size);
});

function idOf(line: string): string {
  return line.split(' ')[0] ?? '';
}

function timesOf(lines: readonly string[]): Map<string, bigint> {
  return new Map(lines.map((line) => [idOf(line), BigInt(line.split(' ')[1] ?? 0)]));
}

function withoutId(line: string): string {
  return line.split(' ').slice(0, 2).join(' ');
}

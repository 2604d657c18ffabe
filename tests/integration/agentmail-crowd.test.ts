import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { readLetters } from '../../src/agentmail/mailbox/mailbox.ts';
import { temporaryRepository } from '../support/agentmail/repository.ts';
import { allEnded, endAll, moreIsSaid, startMailWorker } from '../support/agentmail/workers.ts';

const AGENTS = Array.from({ length: 8 }, (_, index) => `agent${index}`);
const COUNT = process.env.SOAK ? 500 : 40;

/** The texts that each agent sends, in order. */
function everythingFrom(...senders: readonly string[]): string[] {
  return senders.flatMap((sender) => Array.from({ length: COUNT }, (_, round) => `${sender} ${round}`));
}

/** Without the ids. */
function messages(lines: readonly string[]): string[] {
  return lines.map((line) => line.split(' ').slice(0, 2).join(' '));
}

/** Texts grouped by sender, each sender's letters in the order of arrival. */
function bySender(lines: readonly string[]): string[] {
  return Object.values(Object.groupBy(lines, (line) => line.split(' ')[0] ?? ''))
    .map((group) => group ?? [])
    .sort((a, b) => (a[0] ?? '').localeCompare(b[0] ?? ''))
    .flat();
}

describe('eight agents at the same time', () => {
  test(`in a ring, ${COUNT} letters each: none is lost or duplicated, all are in order`, async () => {
    const root = temporaryRepository(after);
    const next = (index: number) => AGENTS[(index + 1) % AGENTS.length] ?? '';

    const workers = AGENTS.map((me, index) =>
      startMailWorker('ring', root, me, AGENTS.join(','), next(index), String(COUNT)),
    );
    await allEnded(workers);

    for (const [index, worker] of workers.entries()) {
      const before = AGENTS[(index + AGENTS.length - 1) % AGENTS.length] ?? '';
      assert.deepEqual(messages(worker.said('received')), everythingFrom(before));
    }
  });

  test(`into one mailbox, ${COUNT} letters each: none is lost or duplicated, each sender's are in order`, async () => {
    const root = temporaryRepository(after);
    const all = [...AGENTS, 'hub'].join(',');
    const total = COUNT * AGENTS.length;

    const senders = AGENTS.map((me) => startMailWorker('send', root, me, all, 'hub', String(COUNT)));
    const reader = startMailWorker('receive', root, 'hub', all, '', String(total));
    await allEnded([...senders, reader]);

    assert.deepEqual(bySender(messages(reader.said('received'))), everythingFrom(...AGENTS));
  });

  test('three readers of one mailbox: no letter is lost or received twice', async () => {
    const root = temporaryRepository(after);
    const all = [...AGENTS, 'hub'].join(',');
    const total = COUNT * 2;
    const senders = AGENTS.slice(0, 2).map((me) => startMailWorker('send', root, me, all, 'hub', String(COUNT)));
    await allEnded(senders);
    const readers = Array.from({ length: 3 }, () => startMailWorker('receive', root, 'hub', all, '', 'Infinity'));

    const received = () => readers.flatMap((reader) => messages(reader.said('received')));
    while (received().length < total) await moreIsSaid(readers);
    await endAll(readers);

    assert.deepEqual(received().sort(), everythingFrom(...AGENTS.slice(0, 2)).sort());
    const letters = await readLetters(join(root, '.agentmail', 'mailboxes', 'hub.jsonl'));
    assert.ok(letters.every(({ isRead }) => isRead));
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseLine } from '../../src/agentmail/mailbox/line.ts';
import { readLetters, withMailbox } from '../../src/agentmail/mailbox/mailbox.ts';
import { temporaryRepository } from '../support/agentmail/repository.ts';
import { endAll, moreIsSaid, startMailWorker } from '../support/agentmail/workers.ts';

const ROUNDS = process.env.SOAK ? 60 : 8;
const NAMES = 'sender,hub';

function idsIn(lines: readonly string[]): string[] {
  return lines.map((line) => line.split(' ')[2] ?? '');
}

describe('killed processes', () => {
  test(`senders and receivers, killed ${ROUNDS * 2} times: no acknowledged letter is lost, no line is unreadable`, async () => {
    const root = temporaryRepository(after);
    const mailbox = join(root, '.agentmail', 'mailboxes', 'hub.jsonl');
    const [sent, received]: [string[], string[]] = [[], []];

    for (let round = 0; round < ROUNDS; round++) {
      const sender = startMailWorker('send', root, 'sender', NAMES, 'hub');
      const receiver = startMailWorker('receive', root, 'hub', NAMES);
      await moreIsSaid([sender]);
      await moreIsSaid([receiver]);
      await sleep(Math.random() * 60);
      await endAll(Math.random() < 0.5 ? [sender, receiver] : [receiver, sender]);
      sent.push(...idsIn(sender.said('sent')));
      received.push(...idsIn(receiver.said('received')));

      // An incomplete last line was never acknowledged; all lines before it are complete.
      const lines = readFileSync(mailbox, 'utf8').split('\n').slice(0, -1);
      assert.ok(lines.every((line) => parseLine(Buffer.from(line))));
    }

    const letters = new Map((await readLetters(mailbox)).map((letter) => [letter.id, letter]));
    assert.deepEqual(
      sent.filter((id) => !letters.has(id)),
      [],
    );
    assert.deepEqual(
      received.filter((id) => !letters.get(id)?.isRead),
      [],
    );
    assert.equal(new Set(received).size, received.length);
  });

  test(`cleanups, killed ${ROUNDS} times: no acknowledged unread letter is lost`, async () => {
    const root = temporaryRepository(after);
    const mailbox = join(root, '.agentmail', 'mailboxes', 'hub.jsonl');
    const [sent, received] = [new Set<string>(), new Set<string>()];

    for (let round = 0; round < ROUNDS; round++) {
      const worker = startMailWorker('clean', root, 'sender', NAMES, 'hub');
      while (worker.said('sent').length < 9) await moreIsSaid([worker]);
      await sleep(Math.random() * 40);
      await endAll([worker]);
      for (const id of idsIn(worker.said('sent'))) sent.add(id);
      for (const id of idsIn(worker.said('received'))) received.add(id);
    }

    // The next command restores an interrupted cleanup.
    await withMailbox(
      mailbox,
      () => {},
      () => {},
    );
    const letters = await readLetters(mailbox);
    const unread = new Set(letters.filter(({ isRead }) => !isRead).map(({ id }) => id));
    const missing = [...sent].filter((id) => !received.has(id) && !unread.has(id));
    // Received, and killed before the receipt was printed.
    assert.ok(missing.length <= ROUNDS, `${missing.length} letters are missing`);
    assert.deepEqual(
      [...received].filter((id) => unread.has(id)),
      [],
    );
    assert.equal(existsSync(join(root, '.agentmail', 'switchboard', 'backup', 'hub.jsonl')), false);
  });
});

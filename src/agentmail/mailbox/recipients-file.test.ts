import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { manualClock } from '../../../tests/support/manual-clock.ts';
import { STATUSES } from '../agent.ts';
import { createPostOffice } from '../delivery/post-office.ts';
import { changePresences, type Presence, readPresences } from './recipients-file.ts';

function office(content = '') {
  const root = temporaryRepository(after);
  const folder = join(root, '.agentmail');
  mkdirSync(folder);
  const path = join(folder, 'recipients.jsonl');
  if (content !== '') writeFileSync(path, content);
  const clock = manualClock(Date.UTC(2030, 0, 1));
  const post = createPostOffice({ clock, warn: () => {} });
  after(() => post.close());
  return { folder, path, clock, post, text: () => readFileSync(path, 'utf8'), at: standAt(root, 'a2', ['a1', 'a2']) };
}

describe('the status of an agent', () => {
  test('AGENT-09 is written in the format of the original program', async () => {
    const { post, at, text } = office();

    await post.setStatus(at, 'ready');

    assert.equal(
      text(),
      '{"recipient":"a2","status":"ready","updated_at":"2030-01-01T00:00:00Z","notified_at":"0001-01-01T00:00:00Z"}\n',
    );
  });

  test('AGENT-11 clears the notification timestamp when it is work or offline, not when it is ready', async () => {
    const entry =
      '{"recipient":"a2","status":"ready","updated_at":"2029-12-31T00:00:00Z","notified_at":"2029-12-31T10:00:00.5Z","last_read_at":7}\n';

    const after = [];
    for (const status of STATUSES) {
      const { post, at, folder } = office(entry);
      await post.setStatus(at, status);
      after.push(await readPresences(folder));
    }

    const base = { name: 'a2', updatedAt: Date.UTC(2030, 0, 1), lastReadAt: 7 };
    assert.deepEqual(after, [
      [{ ...base, status: 'ready', notifiedAt: Date.UTC(2029, 11, 31, 10, 0, 0, 500) }],
      [{ ...base, status: 'work' }],
      [{ ...base, status: 'offline' }],
    ]);
  });

  test('has the time of the last received letter, also without an earlier status', async () => {
    const { post, at, folder, clock } = office();
    const [a1 = at.me] = at.peers.filter(({ name }) => name === 'a1');
    await post.send({ ...at, me: { ...a1, isCurrent: true } }, 'a2', 'hello');

    await (await post.take(at))?.done();

    const [presence] = await readPresences(folder);
    assert.deepEqual(presence, { name: 'a2', status: 'ready', updatedAt: clock.now(), lastReadAt: clock.now() });
  });

  test('is retained next to invalid lines, which are quarantined', async () => {
    const a1 =
      '{"recipient":"a1","status":"work","updated_at":"2029-12-31T00:00:00Z","notified_at":"0001-01-01T00:00:00Z"}\n';
    const { post, at, text, folder } = office(`{"recipient":"torn\n${a1}{"recipient":"a9","status":"asleep"}\n`);

    await post.setStatus(at, 'work');

    assert.ok(text().startsWith(a1));
    const aside = readFileSync(join(folder, 'switchboard', 'quarantine', 'recipients.jsonl'), 'utf8');
    assert.match(aside, /torn[\s\S]*asleep/);
  });

  test('is read as written, for any names', async () => {
    const entries = fc.uniqueArray(
      fc.record({
        name: fc.string({ unit: 'grapheme', minLength: 1 }),
        status: fc.constantFrom(...STATUSES),
        updatedAt: fc.integer({ min: 1, max: 4_102_444_800_000 }),
        notifiedAt: fc.integer({ min: 1, max: 4_102_444_800_000 }),
        lastReadAt: fc.integer({ min: 1, max: 4_102_444_800_000 }),
      }),
      { selector: ({ name }) => name, maxLength: 8 },
    );
    const { folder } = office();
    await fc.assert(
      fc.asyncProperty(entries, async (all) => {
        const presences: Presence[] = all.map((each) => ({ ...each }));

        await changePresences(folder, assert.fail, () => presences);

        assert.deepEqual(await readPresences(folder), presences);
      }),
      { numRuns: 50 },
    );
  });
});

describe('recipients', () => {
  test('AGENT-12 are all windows except ignored ones, with their status; the current one is marked', async () => {
    const { post, at } = office();
    await post.setStatus(at, 'work');
    const peers = ['a1', 'a2', 'hidden'].map((name) => ({ name, isCurrent: name === 'a1' }));

    const recipients = await post.recipients({
      ...at,
      ...{ peers, me: { name: 'a1', isCurrent: true }, ignored: new Set(['hidden', 'a1']) },
    });

    assert.deepEqual(recipients, [
      { name: 'a1', isCurrent: true },
      { name: 'a2', isCurrent: false, status: 'work' },
    ]);
  });
});

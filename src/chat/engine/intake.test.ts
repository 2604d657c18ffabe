import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Position } from '../../connectors/connector.ts';
import type { InboundEvent } from '../../domain/chat.ts';
import { createIntake } from './intake.ts';

const OVER = new Error('over');

describe('the intake of a connection', () => {
  test('stores consecutive events of one timeline in one batch, with the last position', async () => {
    const { intake, stored } = recording();

    intake.accept([event('a')], { timeline: '#x', cursor: '1' });
    intake.accept([event('b')], { timeline: '#x', cursor: '2' });
    intake.accept([event('c')]);
    await intake.accept([event('d')], { timeline: '#y', cursor: '3' });

    assert.deepEqual(stored, [
      { ids: ['a', 'b', 'c'], position: { timeline: '#x', cursor: '2' } },
      { ids: ['d'], position: { timeline: '#y', cursor: '3' } },
    ]);
  });

  test('holds the network back until all events are stored', async () => {
    const { intake, held } = recording();

    for (let id = 0; id < 3_000; id++) intake.accept([event(String(id))]);
    await intake.close(OVER);

    assert.deepEqual(held, [true, false]);
  });

  test('rejects all events after a failed write, and reports the failure once', async () => {
    const full = new Error('the disk is full');
    const { intake, stored, failures } = recording(() => Promise.reject(full));

    const accepted = [intake.accept([event('a')]), intake.accept([event('b')], { timeline: '#x', cursor: '1' })];
    const results = await Promise.allSettled(accepted);
    const later = await Promise.allSettled([intake.accept([event('c')])]);

    assert.deepEqual(
      [...results, ...later].map((result) => result.status === 'rejected' && result.reason),
      [full, full, full],
    );
    assert.deepEqual([stored, failures], [[], [full]]);
  });

  test('stores events that were accepted before the connection ended, and rejects later ones', async () => {
    const { intake, stored } = recording();

    const accepted = intake.accept([event('a')]);
    const closed = intake.close(OVER);
    await assert.rejects(intake.accept([event('b')]), OVER);
    await Promise.all([accepted, closed]);

    assert.deepEqual(
      stored.flatMap(({ ids }) => ids),
      ['a'],
    );
  });

  test('stores events in order, and no position before the events that precede it', async () => {
    const arrivals = fc.array(fc.record({ size: fc.nat(400), timeline: fc.constantFrom('#x', '#y', undefined) }), {
      maxLength: 30,
    });
    await fc.assert(
      fc.asyncProperty(arrivals, async (list) => {
        const { intake, stored } = recording();
        const sent: string[] = [];
        list.forEach(({ size, timeline }, index) => {
          const ids = Array.from({ length: size }, (_, nth) => `${index}.${nth}`);
          sent.push(...ids);
          void intake.accept(ids.map(event), timeline === undefined ? undefined : { timeline, cursor: `${index}` });
        });
        await intake.close(OVER);

        const seen = new Set<string>();
        for (const { ids, position } of stored) {
          for (const id of ids) seen.add(id);
          const before = sent.filter(
            (id) => position !== undefined && Number(id.split('.')[0]) <= Number(position.cursor),
          );
          assert.ok(before.every((id) => seen.has(id)));
        }
        assert.deepEqual(
          stored.flatMap(({ ids }) => ids),
          sent,
        );
      }),
      { numRuns: 200 },
    );
  });
});

function recording(fail: () => Promise<void> = async () => {}) {
  const stored: { ids: string[]; position: Position | undefined }[] = [];
  const held: boolean[] = [];
  const failures: unknown[] = [];
  const intake = createIntake({
    async store(events, position) {
      await fail();
      stored.push({ ids: events.map((each) => (each.kind === 'chat' ? each.chat.id : '')), position });
    },
    onHold: (isHeld) => held.push(isHeld),
    onFailure: (error) => failures.push(error),
  });
  return { intake, stored, held, failures };
}

function event(id: string): InboundEvent {
  return { kind: 'chat', chat: { id } };
}

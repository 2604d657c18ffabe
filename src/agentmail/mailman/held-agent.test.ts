import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heldAfter, pauseOf, retryIn } from './held-agent.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const DRAFT = { kind: 'not-notified', reason: 'draft' } as const;
const FAILED = { kind: 'not-notified', reason: 'not-submitted', failedOn: 'a screen' } as const;

test('an agent with a draft is tried again after a second, later every ten, and the reason keeps its first timestamp', () => {
  const first = heldAfter(undefined, DRAFT, NOW);
  const later = Array.from({ length: 5 }).reduce<typeof first>((held) => heldAfter(held, DRAFT, NOW + 9_000), first);

  assert.deepEqual([retryIn(first, NOW), retryIn(later, NOW + 9_000)], [1_000, 10_000]);
  assert.equal(later.since, NOW);
});

test('after a failure nothing is typed for a minute, whatever the screen shows, and longer after each further one', () => {
  const once = heldAfter(undefined, FAILED, NOW);
  const twice = heldAfter(heldAfter(once, DRAFT, NOW), FAILED, NOW);

  assert.deepEqual([pauseOf(once, NOW), pauseOf(once, NOW + 60_000), pauseOf(twice, NOW)], [60_000, 0, 120_000]);
  assert.equal(retryIn(once, NOW), 60_000);
});

test('the screen of a failure is remembered while other reasons follow', () => {
  const held = heldAfter(heldAfter(heldAfter(undefined, FAILED, NOW), DRAFT, NOW), { kind: 'listens' }, NOW);

  assert.equal(held.failure?.screen, 'a screen');
  assert.equal(held.reason, undefined);
});

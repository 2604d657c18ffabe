import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerId } from '../../domain/server-config.ts';
import { createUpdateEvents } from './update-events.ts';

test('HOST-22 a resource that changes all the time is reported again and again, but not each time', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const written: string[] = [];
  const updates = createUpdateEvents(async (_, uri) => void written.push(uri));

  for (let change = 0; change < 100; change += 1) {
    updates.add('zoo' as ServerId, 'zoo://lion');
    context.mock.timers.tick(10);
  }
  const during = written.length;
  context.mock.timers.tick(1_000);

  assert.equal(during, 5);
  assert.equal(written.length, during);
});

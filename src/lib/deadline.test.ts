import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, mock, test } from 'node:test';
import { withDeadline } from './deadline.ts';

const REASON = (why: string) => new Error(why);

describe('work with a deadline', () => {
  test('returns the result of the work, and leaves no timer and no listener', async () => {
    const caller = new AbortController();

    const result = await withDeadline(60_000, caller.signal, REASON, async () => 'done');

    assert.equal(result, 'done');
    assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
    assert.ok(!process.getActiveResourcesInfo().includes('Timeout'));
  });

  test('fails as the work fails, even if it throws synchronously', async () => {
    const caller = new AbortController();
    const failing = () => {
      throw new Error('broken');
    };

    await assert.rejects(withDeadline(60_000, caller.signal, REASON, failing), { message: 'broken' });

    assert.equal(getEventListeners(caller.signal, 'abort').length, 0);
  });

  test('ends at the timeout, though the work ignores its signal', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    let seen: AbortSignal | undefined;
    const ended = withDeadline(1_000, undefined, REASON, (signal) => {
      seen = signal;
      return new Promise(() => {});
    });

    context.mock.timers.tick(1_000);

    await assert.rejects(ended, { message: 'timeout' });
    assert.equal(seen?.aborted, true);
    assert.equal(String(seen?.reason), 'Error: timeout');
  });

  test('ends when the caller aborts', async () => {
    const caller = new AbortController();
    const ended = withDeadline(60_000, caller.signal, REASON, () => new Promise(() => {}));

    caller.abort();

    await assert.rejects(ended, { message: 'cancelled' });
  });

  test('does not begin for a caller that has already aborted', async () => {
    const work = mock.fn(async () => 'sent');

    await assert.rejects(withDeadline(60_000, AbortSignal.abort(), REASON, work), { message: 'cancelled' });

    assert.equal(work.mock.callCount(), 0);
  });

  test('ignores work that fails after its end', async () => {
    const late = Promise.withResolvers<never>();
    const caller = new AbortController();
    const ended = withDeadline(60_000, caller.signal, REASON, () => late.promise);

    caller.abort();
    late.reject(new Error('too late'));

    await assert.rejects(ended, { message: 'cancelled' });
  });

  test('may be longer than the maximum of a timer', async (context) => {
    const timer = context.mock.method(globalThis, 'setTimeout');

    const result = await withDeadline(Number.MAX_SAFE_INTEGER, undefined, REASON, async () => 'done');

    assert.equal(result, 'done');
    assert.deepEqual(
      timer.mock.calls.map((call) => call.arguments[1]),
      [2 ** 31 - 1],
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { untilFound } from './until-found.ts';

const endless = new AbortController().signal;

describe('waiting until something is found', () => {
  test('returns an existing value, without a notification', async () => {
    assert.equal(await untilFound(async () => 'x', silence, endless), 'x');
  });

  test('checks again after each notification, and stops listening at the end', async () => {
    const news = notifications();
    let looks = 0;
    const waiting = untilFound(
      async () => {
        looks += 1;
        return looks === 3 ? looks : undefined;
      },
      news.subscribe,
      endless,
    );

    for (let count = 0; count < 2; count += 1) await news.notify();

    assert.equal(await waiting, 3);
    assert.equal(news.listeners.size, 0);
  });

  test('misses no notification during a check', async () => {
    const news = notifications();
    let stored: string | undefined;

    const found = await untilFound(
      async () => {
        const seen = stored;
        stored = 'x';
        if (seen === undefined) await news.notify();
        return seen;
      },
      news.subscribe,
      endless,
    );

    assert.equal(found, 'x');
  });

  test('checks a last time when the signal is aborted', async () => {
    const ending = new AbortController();
    let stored: string | undefined;
    const waiting = untilFound(async () => stored, silence, ending.signal);

    stored = 'x';
    ending.abort();

    assert.equal(await waiting, 'x');
    assert.equal(await untilFound(async () => undefined, silence, ending.signal), undefined);
  });

  test('a check that fails ends it, and no listener remains', async () => {
    const news = notifications();

    await assert.rejects(
      untilFound(() => Promise.reject(new Error('broken')), news.subscribe, endless),
      /broken/,
    );

    assert.equal(news.listeners.size, 0);
  });
});

const silence = () => () => {};

function notifications() {
  const listeners = new Set<() => void>();
  return {
    listeners,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async notify(): Promise<void> {
      for (const listener of listeners) listener();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

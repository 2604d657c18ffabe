import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { once, opensLate } from './once.ts';

describe('work that is done once', () => {
  test('runs for the first caller, and all callers get the same result', async () => {
    const work = mock.fn(async () => ({}));
    const part = once(work);

    const [first, second] = await Promise.all([part(), part()]);
    const third = await part();

    assert.equal(work.mock.callCount(), 1);
    assert.equal(first, second);
    assert.equal(first, third);
  });

  test('is retried after a failure, which all waiting callers get', async () => {
    const outcomes = [Promise.reject(new Error('not yet')), Promise.resolve('open')];
    const part = once(() => outcomes.shift() ?? Promise.resolve('too often'));

    const waited = await Promise.allSettled([part(), part()]);
    const retried = await part();

    assert.deepEqual(
      waited.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    assert.equal(retried, 'open');
  });
});

describe('an object that is opened on first use', () => {
  test('is not opened earlier, and then called with the same arguments', async () => {
    const open = mock.fn(async () => ({ add: async (a: number, b: number) => a + b }));
    const part = opensLate(open);

    const opensBefore = open.mock.callCount();
    const sum = await part.add(2, 3);

    assert.equal(opensBefore, 0);
    assert.equal(sum, 5);
  });

  test('keeps its own `this`', async () => {
    const counter = {
      count: 1,
      async next() {
        this.count += 1;
        return this.count;
      },
    };
    const part = opensLate<{ next(): Promise<number> }>(async () => counter);

    assert.equal(await part.next(), 2);
  });

  test('can be returned by an async function without being taken for a promise', async () => {
    const open = mock.fn(async () => ({ hello: async () => 'hello' }));
    const build = async () => opensLate(open);

    const part = await build();

    assert.equal(open.mock.callCount(), 0);
    assert.equal(await part.hello(), 'hello');
  });

  test('fails with the error of opening it', async () => {
    const part = opensLate<{ read(): Promise<string> }>(async () => {
      throw new Error('no disk');
    });

    await assert.rejects(part.read(), { message: 'no disk' });
  });
});

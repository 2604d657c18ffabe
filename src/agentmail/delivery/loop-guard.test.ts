import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { LetterExchange } from './delivery-state.ts';
import { judgeLoop, loopLimit } from './loop-guard.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

describe('two agents that only reply to each other', () => {
  test('are stopped after the last allowed letter', () => {
    const { verdicts } = exchangeOf(31, () => 5 * SECOND);

    assert.deepEqual(new Set(verdicts.slice(0, 30)), new Set(['pass']));
    assert.equal(verdicts[30], 'stopped');
  });

  test('remain stopped, and this is reported once', () => {
    const { exchange } = exchangeOf(31, () => SECOND);

    const again = judgeLoop(exchange, { from: 'a', isAnswer: true, now: (exchange?.lastAt ?? 0) + MINUTE, limit: 30 });

    assert.equal(again.kind === 'stopped' && again.isNew, false);
    assert.equal(again.kind, 'stopped');
  });

  test('may continue after ten minutes without letters', () => {
    const { exchange } = exchangeOf(31, () => SECOND);

    const later = judgeLoop(exchange, {
      from: 'a',
      isAnswer: true,
      now: (exchange?.lastAt ?? 0) + 11 * MINUTE,
      limit: 30,
    });

    assert.deepEqual([later.kind, later.exchange.count, later.exchange.stoppedAt], ['pass', 1, undefined]);
  });

  test('are also stopped if one of them writes two letters each time', () => {
    let exchange: LetterExchange | undefined;
    const verdicts = Array.from({ length: 60 }, (_, at) => {
      const [from, isAnswer] = at % 3 === 1 ? ['a', false] : [at % 3 === 0 ? 'a' : 'b', at > 0];
      const verdict = judgeLoop(exchange, {
        from: String(from),
        isAnswer: Boolean(isAnswer),
        now: at * SECOND,
        limit: 30,
      });
      exchange = verdict.exchange;
      return verdict.kind;
    });

    assert.equal(verdicts.indexOf('stopped'), 45);
  });

  test('many letters of one agent count as one', () => {
    let exchange: LetterExchange | undefined;
    for (let at = 0; at < 100; at++) {
      const verdict = judgeLoop(exchange, { from: 'a', isAnswer: false, now: at * SECOND, limit: 30 });
      exchange = verdict.exchange;
    }

    assert.deepEqual([exchange?.count, exchange?.stoppedAt], [1, undefined]);
  });

  test('are not stopped if the limit is 0', () => {
    assert.ok(exchangeOf(200, () => SECOND, 0).verdicts.every((verdict) => verdict === 'pass'));
  });
});

describe('other letters', () => {
  test('a pause of more than two minutes begins a new count', () => {
    assert.ok(exchangeOf(100, (at) => (at % 29 === 0 ? 3 * MINUTE : SECOND)).verdicts.every((each) => each === 'pass'));
  });

  test('a letter that is not a reply begins a new count', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 100 }), (answers) => {
        let exchange: LetterExchange | undefined;
        answers.forEach((isAnswer, at) => {
          const from = at % 2 === 0 ? 'a' : 'b';
          const verdict = judgeLoop(exchange, { from, isAnswer, now: at * SECOND, limit: 0 });
          const run = answers
            .slice(0, at + 1)
            .reverse()
            .findIndex((each) => !each);

          assert.equal(verdict.exchange.count, run === -1 ? at + 1 : run + 1);
          exchange = verdict.exchange;
        });
      }),
    );
  });
});

test('the limit can be configured, and an invalid value is ignored', () => {
  assert.equal(loopLimit({ AGENTMAIL_LOOP_LIMIT: '5' }), 5);
  assert.equal(loopLimit({ AGENTMAIL_LOOP_LIMIT: '0' }), 0);
  assert.equal(loopLimit({ AGENTMAIL_LOOP_LIMIT: 'many' }), 30);
  assert.equal(loopLimit({}), 30);
});

function exchangeOf(letters: number, gap: (at: number) => number, limit = 30) {
  let exchange: LetterExchange | undefined;
  let now = 0;
  const verdicts = Array.from({ length: letters }, (_, at) => {
    now += gap(at);
    const verdict = judgeLoop(exchange, { from: at % 2 === 0 ? 'a' : 'b', isAnswer: at > 0, now, limit });
    exchange = verdict.exchange;
    return verdict.kind;
  });
  return { verdicts, exchange };
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Budget, Conversation } from '../../domain/conversation.ts';
import { config } from '../settings.ts';
import { checkBudget, limitsOf, priceOf, usedUp } from './limits.ts';

const sectionWith = (given: object = {}) =>
  config.sections.claude?.schema.parse(given) as Parameters<typeof limitsOf>[1];

function conversationWith(budget: Budget, more: Partial<Conversation> = {}): Conversation {
  const usage = { input: 600, output: 400, cacheRead: 0, cacheWrite: 0 };
  return { model: 'claude-opus-5-5', budget, usage, ...more } as Conversation;
}

test('the stricter of the configuration and the conversation counts', () => {
  const section = sectionWith({ max_iterations: 5, turn_timeout_ms: 2_000, budget_tokens: 500 });

  assert.deepEqual(limitsOf(conversationWith({}), section), {
    iterations: 5,
    timeoutMs: 2_000,
    tokens: 500,
    usd: Number.POSITIVE_INFINITY,
  });
  assert.partialDeepStrictEqual(
    limitsOf(conversationWith({ iterations: 50, seconds: 1, tokens: 100, usd: 2 }), section),
    { iterations: 5, timeoutMs: 1_000, tokens: 100, usd: 2 },
  );
});

test('a budget that is used up allows no request', () => {
  const section = sectionWith();

  assert.equal(
    usedUp(conversationWith({ tokens: 1_001 }), limitsOf(conversationWith({ tokens: 1_001 }), section)),
    undefined,
  );
  assert.throws(() => checkBudget(conversationWith({ tokens: 1_000 }), section), { code: 'CONFLICT' });
  assert.throws(() => checkBudget(conversationWith({ usd: 1 }, { cost: 1 }), section), { code: 'CONFLICT' });
  assert.doesNotThrow(() => checkBudget(conversationWith({ usd: 1 }, { cost: 0.5 }), section));
});

test('a budget of money takes a price', () => {
  const section = sectionWith({ prices: { mine: { input: 1, output: 2 } } });

  assert.deepEqual(priceOf('mine', section), { input: 1, output: 2 });
  assert.equal(priceOf('constructor', section), undefined);
  assert.throws(() => checkBudget(conversationWith({ usd: 1 }, { model: 'other' }), section), {
    code: 'VALIDATION_ERROR',
  });
  assert.doesNotThrow(() => checkBudget(conversationWith({}, { model: 'other' }), section));
});

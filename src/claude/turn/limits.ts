import type { Conversation } from '../../domain/conversation.ts';
import { AppError } from '../../domain/errors.ts';
import { type TokenPrice, totalTokens } from '../../domain/token-usage.ts';
import type { ClaudeSettings } from '../settings.ts';

type Section = ClaudeSettings['claude'];

const PRICES: Readonly<Record<string, TokenPrice>> = { 'claude-opus-5-5': { input: 4, output: 20 } };

export interface TurnLimits {
  iterations: number;
  timeoutMs: number;
  tokens: number;
  usd: number;
}

export function limitsOf({ budget }: Conversation, section: Section): TurnLimits {
  return {
    iterations: Math.min(budget.iterations ?? section.max_iterations, section.max_iterations),
    timeoutMs: Math.min((budget.seconds ?? Number.POSITIVE_INFINITY) * 1_000, section.turn_timeout_ms),
    tokens: Math.min(budget.tokens ?? Number.POSITIVE_INFINITY, section.budget_tokens ?? Number.POSITIVE_INFINITY),
    usd: Math.min(budget.usd ?? Number.POSITIVE_INFINITY, section.budget_usd ?? Number.POSITIVE_INFINITY),
  };
}

export function priceOf(model: string, { prices }: Pick<Section, 'prices'>): TokenPrice | undefined {
  return (
    (Object.hasOwn(prices, model) ? prices[model] : undefined) ??
    (Object.hasOwn(PRICES, model) ? PRICES[model] : undefined)
  );
}

/** Which budget of the conversation is used up. */
export function usedUp({ usage, cost = 0 }: Conversation, { tokens, usd }: TurnLimits): 'tokens' | 'usd' | undefined {
  if (totalTokens(usage) >= tokens) return 'tokens';
  return cost >= usd ? 'usd' : undefined;
}

/** Throws where a conversation may send no further request. */
export function checkBudget(conversation: Conversation, section: Section): void {
  const limits = limitsOf(conversation, section);
  if (Number.isFinite(limits.usd) && !priceOf(conversation.model, section)) {
    throw new AppError(
      'VALIDATION_ERROR',
      'The price of this model is not known, so that a budget in US dollars cannot be kept.',
      {
        field: 'model',
        hint: 'Add its price to claude.prices in the configuration, or choose another model.',
      },
    );
  }
  const spent = usedUp(conversation, limits);
  if (!spent) return;
  throw new AppError('CONFLICT', `The budget of this conversation is used up (${spent}).`, {
    field: 'conversation_id',
    hint: 'Raise it with conversation_update, or start another conversation.',
  });
}

import { z } from 'zod';
import type { Budget, ConversationSettings } from '../domain/conversation.ts';
import { EFFORTS } from './api/request.ts';

const Patterns = z.array(z.string().min(1).max(200)).max(100);

/** What a conversation can be started with, and changed later. */
export const conversationFields = {
  title: z.string().max(200).optional().describe('Title.'),
  system: z.string().max(100_000).optional().describe('Instructions for Claude.'),
  model: z.string().min(1).max(200).optional().describe('Id of a model, or opus, sonnet, haiku, fable.'),
  settings: z
    .strictObject({
      max_tokens: z.int().min(1).max(1_000_000).optional().describe('Maximum length of an answer, in tokens.'),
      effort: z.enum(EFFORTS).optional().describe('How much Claude thinks.'),
      stop_sequences: z.array(z.string().min(1).max(200)).max(10).optional().describe('Texts at which an answer ends.'),
    })
    .optional()
    .describe('How Claude answers.'),
  tools: Patterns.optional().describe('Tools that Claude may use, * for any characters; default all: ["*"].'),
  auto_approve: Patterns.optional().describe('Of these, tools that send or delete without approval.'),
  budget: z
    .strictObject({
      tokens: z.int().min(1).optional().describe('Tokens of the conversation.'),
      usd: z.number().min(0).optional().describe('Cost of the conversation, in USD.'),
      iterations: z.int().min(1).max(1_000).optional().describe('Requests per turn.'),
      seconds: z.number().min(1).max(86_400).optional().describe('Time per turn, in seconds.'),
    })
    .optional()
    .describe('Limits; default: none.'),
};

interface GivenSettings {
  max_tokens?: number | undefined;
  effort?: ConversationSettings['effort'];
  stop_sequences?: readonly string[] | undefined;
}

export function toSettings({
  max_tokens: maxTokens,
  effort,
  stop_sequences: stopSequences,
}: GivenSettings): ConversationSettings {
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(effort === undefined ? {} : { effort }),
    ...(stopSequences === undefined ? {} : { stopSequences }),
  };
}

export function toBudget(given: Budget): Budget {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

import { z } from 'zod';
import type { IndexedLetter } from '../ports.ts';

/** A letter in the output. */
export const LetterView = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  message: z.string(),
  timestamp: z.string().optional(),
  in_reply_to: z.string().optional(),
  repository: z.string(),
});

export function toLetterView(letter: IndexedLetter): z.input<typeof LetterView> {
  const { id, from, to, message, createdAt, inReplyTo, repository } = letter;
  return {
    id,
    from,
    to,
    message,
    ...(createdAt === undefined ? {} : { timestamp: new Date(createdAt).toISOString() }),
    ...(inReplyTo === undefined ? {} : { in_reply_to: inReplyTo }),
    repository,
  };
}

/** Filters of all lists of letters. */
export const letterFilter = {
  agent: z.string().min(1).max(500).optional().describe('Only messages from or to this agent.'),
  repository: z.string().min(1).optional().describe('Only of this repository (path of its .agentmail folder).'),
  limit: z.int().min(1).max(500).default(50).describe('Maximum number.'),
  cursor: z
    .string()
    .regex(/^\d+\.\d+$/, 'must be a next_cursor of an earlier answer')
    .optional()
    .describe('`next_cursor` of an earlier answer.'),
};

export const LetterPageView = z.object({ letters: z.array(LetterView), next_cursor: z.string().optional() });

import { z } from 'zod';
import type { TokenFacts } from '../domain/principal.ts';

/** What the names of tokens look like; the audit and the log call them by it. */
export const TokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .describe('Name of the token in the log and the audit log.');

const LEAVE = ['allow', 'hold', 'deny'] as const;

/** What a token may carry besides its scopes, as callers see it. */
export const TokenFactsView = {
  agent: z.string().optional(),
  chats: z.array(z.string()).optional(),
  send_chats: z.array(z.string()).optional(),
  send: z.enum(LEAVE).optional(),
  allowed_recipients: z.array(z.string()).optional(),
};

export function toFactsView({ agent, chats, sendChats, policy }: TokenFacts) {
  const { send, allowedRecipients } = policy ?? {};
  return {
    ...(agent === undefined ? {} : { agent }),
    ...(chats === undefined ? {} : { chats: [...chats] }),
    ...(sendChats === undefined ? {} : { send_chats: [...sendChats] }),
    ...(send === undefined ? {} : { send }),
    ...(allowedRecipients === undefined ? {} : { allowed_recipients: [...allowedRecipients] }),
  };
}

/** A token as callers see it: everything but itself. */
export const TokenView = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  ...TokenFactsView,
  origin: z.enum(['store', 'file']),
  created_at: z.string().optional(),
});

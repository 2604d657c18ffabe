import { z } from 'zod';

/** What the names of tokens look like; the audit and the log call them by it. */
export const TokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .describe('The name that the log and the audit call it by.');

/** A token as callers see it: everything but itself. */
export const TokenView = z.object({
  name: z.string(),
  scopes: z.array(z.string()),
  agent: z.string().optional(),
  origin: z.enum(['store', 'file']),
  created_at: z.string().optional(),
});

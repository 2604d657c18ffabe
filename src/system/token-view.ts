import { z } from 'zod';
import type { Grant } from '../capability.ts';
import type { TokenFacts } from '../domain/principal.ts';

/** The pattern of token names, which are used in the audit log and the log. */
export const TokenName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
  .describe('Name of the token in the log and the audit log.');

/** A token as callers see it: without its value. Capabilities declare additional fields. */
export function tokenView(grants: readonly Grant[]) {
  return z.object({
    name: z.string(),
    scopes: z.array(z.string()),
    ...fieldsOf(grants),
    origin: z.enum(['store', 'file']),
    created_at: z.string().optional(),
  });
}

export function fieldsOf(grants: readonly Grant[]): Grant['fields'] {
  return Object.assign({}, ...grants.map(({ fields }) => fields));
}

export function toFields(grants: readonly Grant[], facts: TokenFacts): Record<string, unknown> {
  const shown = grants.flatMap((grant) => Object.entries(grant.show(facts)));
  return Object.fromEntries(shown.filter(([, value]) => value !== undefined));
}

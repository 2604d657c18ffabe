import type { Grant } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import { allows, HUMAN_SCOPE, type Scope, type TokenFacts } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';

export interface TokenRights {
  scopes: readonly string[];
  facts: TokenFacts;
}

/** Nobody makes or removes a token that has more rights than they have, or is less confined. */
export async function assertCovers(
  { principal, isPerson }: Pick<OperationContext, 'principal' | 'isPerson'>,
  { scopes, facts }: TokenRights,
  grants: readonly Grant[],
  verb: 'give' | 'remove',
): Promise<void> {
  // At a terminal the user has this right without a token; an agent's program there has not.
  const isUser = scopes.includes(HUMAN_SCOPE) && (await isPerson?.());
  const lacking = scopes.filter((scope) => !(allows(principal, scope as Scope) || (isUser && scope === HUMAN_SCOPE)));
  if (lacking.length > 0) {
    throw new AppError('FORBIDDEN', `You may not ${verb} a scope that you do not have: ${lacking.join(', ')}.`, {
      field: 'scopes',
    });
  }
  for (const grant of grants) {
    const field = grant.exceeded?.(facts, principal);
    if (field === undefined) continue;
    throw new AppError('FORBIDDEN', `You may not ${verb} a token that is less confined than your own: ${field}.`, {
      field,
    });
  }
}

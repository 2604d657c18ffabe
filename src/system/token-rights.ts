import { type Grant, rightsBeyond } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import { HUMAN_SCOPE, type TokenFacts } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';

/** Nobody makes or removes a token that has more rights than they have, or is less confined. */
export async function assertCovers(
  { principal, isPerson }: Pick<OperationContext, 'principal' | 'isPerson'>,
  token: { scopes: readonly string[]; facts: TokenFacts },
  grants: readonly Grant[],
  verb: 'give' | 'remove',
): Promise<void> {
  const beyond = rightsBeyond(principal, token, grants);
  if (!beyond) return;
  const { scopes, field } = beyond;
  // At a terminal the user has this right without a token; an agent's program there has not.
  const isUser = scopes.includes(HUMAN_SCOPE) && (await isPerson?.());
  const lacking = scopes.filter((scope) => !(isUser && scope === HUMAN_SCOPE));
  if (lacking.length > 0) {
    throw new AppError('FORBIDDEN', `You may not ${verb} a scope that you do not have: ${lacking.join(', ')}.`, {
      field: 'scopes',
    });
  }
  if (field === undefined) return;
  throw new AppError('FORBIDDEN', `You may not ${verb} a token that is less confined than your own: ${field}.`, {
    field,
  });
}

import { type Grant, rightsBeyond } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal, TokenFacts } from '../domain/principal.ts';

/** Nobody makes or removes a token that has more rights than they have, or is less confined. */
export function assertCovers(
  principal: Principal,
  token: { scopes: readonly string[]; facts: TokenFacts },
  grants: readonly Grant[],
  verb: 'give' | 'remove',
): void {
  const beyond = rightsBeyond(principal, token, grants);
  if (!beyond) return;
  const { scopes, field } = beyond;
  if (scopes.length > 0) {
    throw new AppError('FORBIDDEN', `You may not ${verb} a scope that you do not have: ${scopes.join(', ')}.`, {
      field: 'scopes',
    });
  }
  throw new AppError('FORBIDDEN', `You may not ${verb} a token that is less confined than your own: ${field}.`, {
    field,
  });
}

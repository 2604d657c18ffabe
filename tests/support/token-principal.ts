import { createHash } from 'node:crypto';
import { type Principal, tokenPrincipal as principalOf, type TokenFacts } from '../../src/domain/principal.ts';

/** A principal with a token of its own: the same name is the same token. */
export function tokenPrincipal(name: string, scopes: readonly string[], facts: TokenFacts = {}): Principal {
  return principalOf({ ...facts, name, hash: createHash('sha256').update(name).digest('hex'), scopes });
}

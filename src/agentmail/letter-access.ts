import { AppError } from '../domain/errors.ts';
import { allows, type Principal } from '../domain/principal.ts';

/**
 * Reading the letters of all agents takes `agentmail:read`, through chat too. A token that is one agent's reads that
 * agent's mail; for the others' it needs `agentmail:manage` besides.
 */
export function mayReadAllLetters(principal: Principal): boolean {
  const isOneAgents = principal.agent !== undefined;
  return allows(principal, 'agentmail:read') && (!isOneAgents || allows(principal, 'agentmail:manage'));
}

export function requireAllLetters(principal: Principal): void {
  if (mayReadAllLetters(principal)) return;
  throw new AppError('FORBIDDEN', "This token is one agent's and may not read the mail of others.", {
    hint: 'Add the scope agentmail:manage to it, or use a token without an agent.',
  });
}

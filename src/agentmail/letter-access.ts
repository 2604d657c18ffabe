import { AppError } from '../domain/errors.ts';
import { allows, type Principal } from '../domain/principal.ts';

/**
 * Reading the letters of all agents requires `agentmail:read`, through chat too. A token of one agent reads that
 * agent's mail; for the mail of others it also needs `agentmail:manage`.
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

import { AppError } from '../domain/errors.ts';
import { isConfined, readGrants } from '../domain/grants.ts';
import { allows, type Principal } from '../domain/principal.ts';

/** The id of agent mail as a source of chat. */
const SOURCE = 'agentmail';

/**
 * Reading the letters of all agents requires `agentmail:read`, through chat too. A token of one agent reads that
 * agent's mail; for the mail of others it also needs `agentmail:manage`.
 */
export function mayReadLetters(principal: Principal): boolean {
  const isOneAgents = principal.agent !== undefined;
  return allows(principal, 'agentmail:read') && (!isOneAgents || allows(principal, 'agentmail:manage'));
}

/** Letters are the chats of one source: a token that is confined to some chats must have all of them. */
export function mayReadAllLetters(principal: Principal): boolean {
  const { everything, sources } = readGrants(principal);
  return mayReadLetters(principal) && (everything || sources.get(SOURCE) === '*');
}

export function requireAllLetters(principal: Principal): void {
  if (mayReadAllLetters(principal)) return;
  if (isConfined(principal)) {
    throw new AppError('FORBIDDEN', 'This token is confined to some chats and may not read the mail of all agents.', {
      hint: `Add ${SOURCE}:* to its chats.`,
    });
  }
  throw new AppError('FORBIDDEN', "This token is one agent's and may not read the mail of others.", {
    hint: 'Add the scope agentmail:manage to it, or use a token without an agent.',
  });
}

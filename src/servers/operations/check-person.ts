import { AppError } from '../../domain/errors.ts';
import { WHERE_THE_USER_IS } from '../../domain/principal.ts';
import type { OperationContext } from '../../operation.ts';

/**
 * Throws where the caller may be an agent: it must not decide by itself what instructs it. MCP clients are agents. A token that
 * may manage servers was given for that, over REST.
 */
export async function checkPerson(
  { principal, door, isPerson }: Pick<OperationContext, 'principal' | 'door' | 'isPerson'>,
  { what, command }: { what: string; command: string },
): Promise<void> {
  if ((principal.kind === 'token' && door !== 'mcp') || (await isPerson?.())) return;
  throw new AppError('FORBIDDEN', `Only the person ${what}, from a terminal that is not an agent’s.`, {
    hint: `Ask your user, who runs \`${command}\` ${WHERE_THE_USER_IS}.`,
  });
}

/** The results of a trusted server are passed on unchanged, and what it changes is offered without a review. */
export async function checkMayTrust(
  context: Pick<OperationContext, 'principal' | 'door' | 'isPerson'>,
  trusted: boolean | undefined,
): Promise<void> {
  if (trusted !== true) return;
  await checkPerson(context, { what: 'trusts a server', command: 'switchboard servers update NAME --trusted' });
}

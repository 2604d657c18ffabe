import { AppError } from '../domain/errors.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import { answerableIdentity, isOwnerToken, WHERE_THE_USER_IS } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';

/**
 * Throws where the caller may not approve this item. The owner may approve everything: the person at a terminal, or the owner's
 * token. Another token may approve what others submitted. Any other process of the local user may be an agent, which would
 * approve its own messages.
 */
export async function checkMayApprove(
  item: OutboxItem,
  { principal, isPerson }: Pick<OperationContext, 'principal' | 'isPerson'>,
): Promise<void> {
  if (isOwnerToken(principal) || (await isPerson?.())) return;
  if (principal.kind === 'local') {
    throw new AppError('FORBIDDEN', 'Only the person approves messages, from a terminal that is not an agent’s.', {
      hint: `Ask your user, who runs \`switchboard outbox approve ID\` ${WHERE_THE_USER_IS}.`,
    });
  }
  const { identity } = item;
  const isOwn = identity === undefined ? item.principal === principal.name : identity === answerableIdentity(principal);
  if (!isOwn) return;
  throw new AppError('FORBIDDEN', `${principal.name} submitted this item itself, so that it cannot approve it.`, {
    field: 'id',
    hint: 'The owner approves it: `switchboard outbox approve ID`, or with the token of `auth.token`.',
  });
}

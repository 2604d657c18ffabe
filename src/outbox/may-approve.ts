import { AppError } from '../domain/errors.ts';
import { mayDecide } from '../domain/may-decide.ts';
import type { OutboxItem } from '../domain/outbox.ts';
import { WHERE_THE_USER_IS } from '../domain/principal.ts';
import type { OperationContext } from '../operation.ts';

/** Throws where the caller may not approve this item. */
export async function checkMayApprove(
  item: OutboxItem,
  context: Pick<OperationContext, 'principal' | 'isPerson'>,
): Promise<void> {
  const answer = await mayDecide(item, context);
  if (answer === 'yes') return;
  if (answer === 'not-the-person') {
    throw new AppError('FORBIDDEN', 'Only the person approves messages, from a terminal that is not an agent’s.', {
      hint: `Ask your user, who runs \`switchboard outbox approve ID\` ${WHERE_THE_USER_IS}.`,
    });
  }
  throw new AppError(
    'FORBIDDEN',
    `${context.principal.name} submitted this item itself, so that it cannot approve it.`,
    {
      field: 'id',
      hint: 'The owner approves it: `switchboard outbox approve ID`, or with the token of `auth.token`.',
    },
  );
}

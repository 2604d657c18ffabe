import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { asLine, findItemToSend, ItemRef, ItemView, isNotSent, toItemView } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

/** No tool: whoever wrote a message must not be the one who approves it. */
export const approveItem = operation({
  cli: { path: 'outbox approve', positionals: ['id'], failed: isNotSent },
  rest: { method: 'POST', path: '/outbox/:id/approve' },
  kind: 'command',
  effect: 'sends',
  right: 'manage',
  description: 'Lets a held item leave, as it is.',
  input: z.strictObject({ id: ItemRef }),
  output: ItemView,
  async run(input, { outbox, waitForAttempt, principal, signal }: OperationContext & OutboxParts) {
    const { id } = await findItemToSend(outbox, input.id, principal);
    return toItemView(await waitForAttempt(() => outbox.change(id, { kind: 'approve' }), signal));
  },
  render: asLine,
});

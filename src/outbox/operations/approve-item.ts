import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { approve } from '../approve.ts';
import { findItemToSend, ItemRef, ItemView, isNotSent, toItemView, toLine } from '../item-view.ts';
import { checkMayApprove } from '../may-approve.ts';
import type { OutboxParts } from '../ports.ts';

/** Not a tool: an agent must not approve what it has written. */
export const approveItem = operation({
  cli: { path: 'outbox approve', positionals: ['id'], failed: isNotSent },
  rest: { method: 'POST', path: '/outbox/:id/approve' },
  kind: 'command',
  effect: 'sends',
  right: 'manage',
  description: 'Sends a held item, unchanged.',
  input: z.strictObject({ id: ItemRef }),
  output: ItemView,
  async run(input, context: OperationContext & OutboxParts) {
    const { principal, signal } = context;
    const held = await findItemToSend(context, input.id, principal);
    await checkMayApprove(held, context);
    return toItemView(await approve(context, held, { by: principal.name, signal }), context);
  },
  render: toLine,
});

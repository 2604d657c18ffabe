import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { findItemToSend, ItemRef, ItemView, isNotSent, toItemView, toLine } from '../item-view.ts';
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
  async run(input, { principal, signal, ...parts }: OperationContext & OutboxParts) {
    const { id } = await findItemToSend(parts, input.id, principal);
    const item = await parts.waitForAttempt(() => parts.outbox.change(id, { kind: 'approve' }), signal);
    return toItemView(item, parts);
  },
  render: toLine,
});

import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { findItemToSend, ItemRef, ItemView, isNotSent, toItemView, toLine } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

export const retryItem = operation({
  cli: { path: 'outbox retry', positionals: ['id'], failed: isNotSent },
  rest: { method: 'POST', path: '/outbox/:id/retry' },
  kind: 'command',
  effect: 'sends',
  right: 'manage',
  description: 'Sends a failed or uncertain item again. An uncertain one may have arrived: check the chat first.',
  input: z.strictObject({ id: ItemRef }),
  output: ItemView,
  async run(input, { principal, signal, ...parts }: OperationContext & OutboxParts) {
    const { id } = await findItemToSend(parts, input.id, principal);
    const item = await parts.waitForAttempt(() => parts.outbox.change(id, { kind: 'retry' }), signal);
    return toItemView(item, parts);
  },
  render: toLine,
});

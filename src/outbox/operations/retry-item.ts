import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { asLine, findItemToSend, ItemRef, ItemView, isNotSent, toItemView } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

export const retryItem = operation({
  cli: { path: 'outbox retry', positionals: ['id'], failed: isNotSent },
  rest: { method: 'POST', path: '/outbox/:id/retry' },
  kind: 'command',
  effect: 'sends',
  right: 'manage',
  description: 'Sends a failed or uncertain item again. An uncertain one may have arrived: look there first.',
  input: z.strictObject({ id: ItemRef }),
  output: ItemView,
  async run(input, { outbox, waitForAttempt, principal, signal }: OperationContext & OutboxParts) {
    const { id } = await findItemToSend(outbox, input.id, principal);
    return toItemView(await waitForAttempt(() => outbox.change(id, { kind: 'retry' }), signal));
  },
  render: asLine,
});

import { z } from 'zod';
import { operation } from '../../operation.ts';
import { findItem, ItemRef, ItemView, toItemView, toLine } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

export const discardItem = operation({
  cli: {
    path: 'outbox discard',
    positionals: ['id'],
    examples: ["switchboard outbox discard 00mabc… --reason 'Wrong chat'"],
  },
  rest: { method: 'POST', path: '/outbox/:id/discard' },
  kind: 'command',
  effect: 'destroys',
  right: 'manage',
  description: 'Discards an item that is held, queued, failed or uncertain: it will not be sent.',
  input: z.strictObject({
    id: ItemRef,
    reason: z.string().max(1_000).optional().describe('Reason; stored with the item.'),
  }),
  output: ItemView,
  async run(input, parts: OutboxParts) {
    const { id } = await findItem(parts, input.id);
    const { reason } = input;
    const item = await parts.outbox.change(id, { kind: 'discard', ...(reason === undefined ? {} : { reason }) });
    return toItemView(item, parts);
  },
  render: toLine,
});

import { z } from 'zod';
import { operation } from '../../operation.ts';
import { findItem, ItemRef, ItemView, toFullLine, toItemView } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

export const showItem = operation({
  cli: { path: 'outbox show', positionals: ['id'] },
  rest: { method: 'GET', path: '/outbox/:id' },
  kind: 'query',
  effect: 'reads',
  description: 'One item of the outbox: its whole text, recipients, sender and state.',
  input: z.strictObject({ id: ItemRef }),
  output: ItemView,
  run: async ({ id }, parts: OutboxParts) => toItemView(await findItem(parts, id), parts),
  render: toFullLine,
});

import { z } from 'zod';
import type { OutboxId } from '../../domain/ids.ts';
import { operation } from '../../operation.ts';
import { ItemView, STATES, toItemView, toLine } from '../item-view.ts';
import type { OutboxParts } from '../ports.ts';

/** States in which a person may still have to act. */
const OPEN = ['held', 'queued', 'sending', 'uncertain', 'failed'] as const;

export const listOutbox = operation({
  cli: {
    path: 'outbox list',
    examples: ['switchboard outbox list', 'switchboard outbox list --state held', 'switchboard outbox list --all'],
    list: { key: 'items', columns: ['id', 'state', 'source', 'to', 'summary', 'by', 'reason'], line: toLine },
  },
  rest: { method: 'GET', path: '/outbox' },
  kind: 'query',
  effect: 'reads',
  description: 'Outgoing messages that are queued, held for approval or could not be sent, newest first.',
  input: z.strictObject({
    state: z.enum(STATES).optional().describe('Only items in this state.'),
    all: z.boolean().default(false).describe('Include sent and discarded items.'),
    limit: z.int().min(1).max(500).default(100).describe('Maximum number.'),
    cursor: z.string().max(64).optional().describe('next_cursor of an earlier answer.'),
  }),
  output: z.object({ items: z.array(ItemView), next_cursor: z.string().optional() }),
  async run({ state, all, limit, cursor }, parts: OutboxParts) {
    const states = state ? [state] : all ? STATES : OPEN;
    const page = await parts.outbox.list({
      states,
      limit,
      ...(cursor === undefined ? {} : { before: cursor as OutboxId }),
    });
    const next = page.length < limit ? undefined : page.at(-1)?.id;
    return {
      items: page.map((item) => toItemView(item, parts)),
      ...(next === undefined ? {} : { next_cursor: next }),
    };
  },
  render: ({ items }) => items.map(toLine).join('\n') || 'Nothing waits to leave.',
});

import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { changeFlags } from '../mailbox/change-emails.ts';
import { type ChangingParts, changeByAccount, findEmails, MessageIds } from './chosen-emails.ts';
import { countOf, notFoundNote, notFoundOf } from './counted.ts';

const SEEN = ['\\Seen'];

export const markRead = operation({
  mcp: { name: 'mark_read', title: 'Mark emails as read' },
  cli: {
    path: 'email mark-read',
    positionals: ['message_ids'],
    examples: ['switchboard email mark-read 1763342291', 'switchboard email mark-read 1763342291 --unread'],
  },
  rest: { method: 'POST', path: '/emails/mark-read' },
  kind: 'command',
  effect: 'writes',
  idempotent: true,
  description: 'Marks emails as read, or as unread, on the server too.',
  input: z.strictObject({
    message_ids: MessageIds,
    unread: z.boolean().default(false).describe('As unread instead.'),
  }),
  output: z.object({ updated: z.int(), unread: z.boolean(), not_found: z.array(z.string()).optional() }),
  async run({ message_ids: ids, unread }, context: OperationContext & ChangingParts) {
    const { found, missing } = await findEmails(context, ids);
    const change = unread ? { remove: SEEN } : { add: SEEN };
    const gone = await changeByAccount(
      context,
      found.map(({ email }) => email),
      async (parts, emails) => () => changeFlags(parts, emails, change),
    );
    return { updated: found.length - gone.length, unread, ...notFoundOf([...missing, ...gone]) };
  },
  render: ({ updated, unread, not_found: missing }) =>
    `${countOf(updated)} marked as ${unread ? 'unread' : 'read'}.${notFoundNote(missing)}`,
});

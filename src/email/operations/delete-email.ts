import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { expungeEmails, folderFor, moveEmails } from '../mailbox/change-emails.ts';
import { everyCopy } from '../mailbox/copies-to-move.ts';
import { type ChangingParts, changeByAccount, findEmails, MessageIds } from './chosen-emails.ts';
import { countOf, notFoundNote, notFoundOf } from './counted.ts';

export const deleteEmail = operation({
  mcp: { name: 'delete_email', title: 'Delete emails' },
  cli: {
    path: 'email delete',
    positionals: ['message_ids'],
    examples: ['switchboard email delete 1763342291', 'switchboard email delete 1763342291 --permanent'],
  },
  rest: { method: 'POST', path: '/emails/delete' },
  kind: 'command',
  effect: 'destroys',
  idempotent: true,
  description: 'Moves emails to the trash, or deletes them for good.',
  input: z.strictObject({
    message_ids: MessageIds,
    permanent: z.boolean().default(false).describe('For good: they cannot be restored.'),
  }),
  output: z.object({
    moved_to_trash: z.int(),
    deleted: z.int(),
    not_found: z.array(z.string()).optional(),
  }),
  async run({ message_ids: ids, permanent }, context: OperationContext & ChangingParts) {
    const { found, missing } = await findEmails(context, ids);
    const gone = await changeByAccount(
      context,
      found.map(({ email }) => email),
      async (parts, emails) => {
        if (permanent) return () => expungeEmails(parts, emails);
        const trash = await folderFor(parts, 'trash');
        return () => moveEmails(parts, emails, trash, everyCopy);
      },
    );
    const done = found.length - gone.length;
    return {
      moved_to_trash: permanent ? 0 : done,
      deleted: permanent ? done : 0,
      ...notFoundOf([...missing, ...gone]),
    };
  },
  render: ({ moved_to_trash: moved, deleted, not_found: missing }) =>
    `${deleted > 0 ? `${countOf(deleted)} deleted for good` : `${countOf(moved)} moved to the trash`}.${notFoundNote(missing)}`,
});

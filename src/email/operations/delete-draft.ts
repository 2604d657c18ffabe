import { z } from 'zod';
import { type OperationContext, operation } from '../../operation.ts';
import { draftOfCaller, removeDraft } from '../drafts/draft-folder.ts';
import { DraftId } from '../drafts/draft-schema.ts';
import type { MessageReader, WritingParts } from '../drafts/parts.ts';
import { mailFailure } from '../mailbox/mail-failure.ts';

export const deleteDraft = operation({
  mcp: { name: 'delete_draft', combinedOnly: true, title: 'Delete a draft' },
  cli: { path: 'email delete-draft', positionals: ['draft_id'] },
  rest: { method: 'DELETE', path: '/emails/drafts/:draft_id' },
  kind: 'command',
  effect: 'destroys',
  description: 'Deletes a draft for good, on the server too.',
  input: z.strictObject({ draft_id: DraftId }),
  output: z.object({ deleted: z.string(), account: z.string() }),
  async run(
    { draft_id: id },
    context: OperationContext & Pick<WritingParts, 'mail' | 'sessions'> & { messages: MessageReader },
  ) {
    const draft = await draftOfCaller(context, id);
    const { account } = draft.email;
    await removeDraft(context, draft, context.signal).catch((error: unknown) => {
      throw mailFailure(error, account);
    });
    return { deleted: id, account };
  },
  render: ({ deleted }) => `Draft ${deleted} is deleted.`,
});

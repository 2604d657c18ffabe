import type { OpenCapability, Services } from '../capability.ts';
import type { Principal } from '../domain/principal.ts';
import type { OperationContext, ResourceTemplate } from '../operation.ts';
import type { AccountAdministration } from './accounts/administration.ts';
import { type GrantedAccounts, grantedAccounts } from './accounts/granted-accounts.ts';
import type { MailAccess } from './accounts/mail-access.ts';
import { attachmentResource } from './attachments/attachment-resource.ts';
import type { SubmitParts } from './drafts/submit-draft.ts';
import type { WriteParts } from './drafts/write-draft.ts';
import { addAccount } from './operations/add-account.ts';
import { composeEmail } from './operations/compose-email.ts';
import { deleteDraft } from './operations/delete-draft.ts';
import { deleteEmail } from './operations/delete-email.ts';
import { forwardEmail } from './operations/forward-email.ts';
import { listAccounts } from './operations/list-accounts.ts';
import { listDrafts } from './operations/list-drafts.ts';
import { listFolders } from './operations/list-folders.ts';
import { markRead } from './operations/mark-read.ts';
import { readEmail } from './operations/read-email.ts';
import { removeAccount } from './operations/remove-account.ts';
import { replyToEmail } from './operations/reply-to-email.ts';
import { saveAttachment } from './operations/save-attachment.ts';
import { searchEmails } from './operations/search-emails.ts';
import { sendEmail } from './operations/send-email.ts';
import { loginAccount, logoutAccount } from './operations/sign-in.ts';
import { syncAccounts } from './operations/sync-accounts.ts';
import { updateDraft } from './operations/update-draft.ts';
import { updateEmails } from './operations/update-emails.ts';

/** What the operations of email are called with. */
export interface EmailParts extends WriteParts, SubmitParts, AccountAdministration, GrantedAccounts {
  /** How accounts reach their servers. */
  access: MailAccess;
}

/** The operations, resources and prompts of email. */
export function emailOffer(parts: EmailParts, chat: Pick<Services['chat'], 'readableBy'>) {
  return {
    operations: [
      listAccounts,
      searchEmails,
      readEmail,
      composeEmail,
      sendEmail,
      replyToEmail,
      markRead,
      deleteEmail,
      forwardEmail,
      listDrafts,
      updateDraft,
      deleteDraft,
      listFolders,
      updateEmails,
      saveAttachment,
      syncAccounts,
      addAccount,
      loginAccount,
      logoutAccount,
      removeAccount,
    ],
    templates: [attachmentResource] as ResourceTemplate[],
    parts,
    /** Limited to what is granted to the caller; what it reads is noted. */
    partsFor: (principal: Principal, context: OperationContext) => ({
      ...parts,
      ...grantedAccounts(parts, principal),
      ...chat.readableBy(principal, context),
    }),
    filtersByGrants: true,
  } satisfies OpenCapability;
}

import type { OpenCapability, Services } from '../capability.ts';
import type { Principal } from '../domain/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { OperationContext, ResourceTemplate } from '../operation.ts';
import type { Accounts } from './accounts/account.ts';
import type { AccountAdministration } from './accounts/administration.ts';
import type { MailAccess } from './accounts/mail-access.ts';
import { attachmentResource } from './attachments/attachment-resource.ts';
import type { LiveSessions } from './mailbox/live-sessions.ts';
import { addAccount } from './operations/add-account.ts';
import { deleteEmail } from './operations/delete-email.ts';
import { listAccounts } from './operations/list-accounts.ts';
import { listFolders } from './operations/list-folders.ts';
import { markRead } from './operations/mark-read.ts';
import { removeAccount } from './operations/remove-account.ts';
import { saveAttachment } from './operations/save-attachment.ts';
import { searchEmails } from './operations/search-emails.ts';
import { loginAccount, logoutAccount } from './operations/sign-in.ts';
import { syncAccounts } from './operations/sync-accounts.ts';
import { updateEmails } from './operations/update-emails.ts';
import type { MailStore } from './ports.ts';

/** What the operations of email are called with. */
export interface EmailParts extends AccountAdministration {
  accounts: Accounts;
  /** How accounts reach their servers. */
  access: MailAccess;
  sessions: Pick<LiveSessions, 'of'>;
  mail: MailStore;
  clock: Clock;
  home: string;
}

/** The operations, resources and prompts of email. */
export function emailOffer(parts: EmailParts, chat: Pick<Services['chat'], 'readableBy'>) {
  return {
    operations: [
      listAccounts,
      searchEmails,
      markRead,
      deleteEmail,
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
      ...chat.readableBy(principal, context),
    }),
  } satisfies OpenCapability;
}

import { defineCapability } from '../capability.ts';
import { mayReadAllLetters } from './letter-access.ts';
import { openParts } from './open.ts';
import { listRecipients } from './operations/list-recipients.ts';
import { mailLog } from './operations/mail-log.ts';
import { rebuildIndex } from './operations/rebuild-index.ts';
import { receive } from './operations/receive.ts';
import { search } from './operations/search.ts';
import { send } from './operations/send.ts';
import { status } from './operations/status.ts';
import { thread } from './operations/thread.ts';
import { agentmailStore } from './store.ts';
import { agentGrant } from './token-grants.ts';

/** Mail between agents. */
export const agentmail = defineCapability({
  name: 'agentmail',
  invalidInput: 'VALIDATION_ERROR',
  config: () => import('./settings.ts'),
  async probes() {
    const [{ repositoryProbe }, { identityProbe }] = await Promise.all([
      import('./repository-probe.ts'),
      import('./identity-probe.ts'),
    ]);
    return [repositoryProbe, identityProbe];
  },
  store: agentmailStore,
  open: (given) => ({
    operations: [send, receive, status, listRecipients, search, mailLog, thread, rebuildIndex],
    grants: [agentGrant],
    events: [
      {
        prefix: 'agentmail.',
        description: 'Letters that are sent and received, without their text.',
        right: 'read',
        mayReceive: mayReadAllLetters,
      },
    ],
    ...openParts(given),
  }),
});

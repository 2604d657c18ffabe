import { operation } from '../../../src/operation.ts';
import { thirtyTools } from '../tool-definitions.ts';

/** Each under a name of its own, as the product has them: so the build can make a card of each. */
export const [
  listAccounts,
  getAccount,
  updateAccount,
  listChats,
  getChat,
  updateChat,
  listDrafts,
  getDraft,
  updateDraft,
  listEvents,
  getEvent,
  updateEvent,
  listFolders,
  getFolder,
  updateFolder,
  listMessages,
  getMessage,
  updateMessage,
  listRecipients,
  getRecipient,
  updateRecipient,
  listServers,
  getServer,
  updateServer,
  listSessions,
  getSession,
  updateSession,
  listSources,
  getSource,
  updateSource,
] = thirtyTools().map(({ name, run, effect, ...definition }) =>
  operation({
    ...definition,
    effect,
    mcp: { name },
    kind: effect === 'reads' ? 'query' : 'command',
    run: async (input) => run(input),
  }),
);

import { operation } from '../../../src/operation.ts';
import { thirtyTools } from '../tool-definitions.ts';

/** Exported one by one, as in the product, so that the build can load each on first use. */
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

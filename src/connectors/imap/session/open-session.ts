import type { MailCredentials, MailServer, MailSession, SessionOptions } from '../../mail-connector.ts';
import { changesSince, factsInRange, uidsIn } from './changes.ts';
import { appendEmail, expungeEmails, moveEmails, setFlags } from './changing.ts';
import { signIn } from './client.ts';
import { createConnection } from './connection.ts';
import { emailOf, partOf, sourceOf } from './content.ts';
import { fetchEmails } from './fetch.ts';
import { createFolder, folderStatus, hasCondstore, listFolders } from './folders.ts';
import { type SessionLimits, USUAL_LIMITS } from './limits.ts';
import { uidsWithMessageId } from './message-id.ts';
import { watchFolder } from './watch.ts';

/** Signs in for reading. Throws MailError. */
export async function openSession(
  server: MailServer,
  credentials: MailCredentials,
  { signal, log }: SessionOptions,
  limits: Partial<SessionLimits> = {},
): Promise<MailSession> {
  const all = { ...USUAL_LIMITS, ...limits };
  const { client, prefix } = await signIn(server, credentials, signal, all);
  const connection = createConnection(client, signal, all);
  const can = {
    condstore: hasCondstore(connection),
    qresync: client.enabled.has('QRESYNC'),
    idle: client.capabilities.has('IDLE'),
    move: client.capabilities.has('MOVE'),
  };
  log.debug({ host: server.host, port: server.port, can }, 'signed in to the mail server');
  return {
    can,
    closed: connection.closed,
    folders: (options = { withStatus: false }) => listFolders(connection, { ...options, prefix }),
    createFolder: (path) => createFolder(connection, path.startsWith(prefix) ? path : `${prefix}${path}`),
    status: (path) => folderStatus(connection, path),
    uids: (path, wanted) => uidsIn(connection, path, wanted),
    fetch: (path, range, take) => fetchEmails(connection, path, range, take),
    facts: (path, range) => factsInRange(connection, path, range),
    changes: (path, since) => changesSince(connection, path, since),
    source: (path, uid, maxBytes) => sourceOf(connection, path, uid, maxBytes),
    email: (path, uid, maxText) => emailOf(connection, path, uid, maxText),
    part: (path, uid, part, maxBytes) => partOf(connection, path, uid, part, maxBytes),
    withMessageId: (path, rfcMessageId) => uidsWithMessageId(connection, path, rfcMessageId),
    setFlags: (path, uids, change) => setFlags(connection, path, uids, change),
    move: (path, uids, target) => moveEmails(connection, path, uids, target),
    expunge: (path, uids) => expungeEmails(connection, path, uids),
    append: (path, email, flags) => appendEmail(connection, path, email, flags),
    watch: (path, watched) => watchFolder(connection, path, watched),
    close: () => connection.close(),
  };
}

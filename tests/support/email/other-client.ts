import { ImapFlow } from 'imapflow';
import type { MailServer } from './mail-server.ts';

/** Another mail program of the same user; it signs in again when it has lost its connection. */
export async function otherClient(
  context: { after(end: () => Promise<void>): void },
  server: MailServer,
  user = 'alice',
) {
  let client = await signIn(server, user);
  context.after(async () => client.close());

  async function connected(): Promise<ImapFlow> {
    if (!client.usable) client = await signIn(server, user);
    return client;
  }

  async function inFolder<T>(path: string, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    const current = await connected();
    await current.mailboxOpen(path);
    try {
      return await work(current);
    } finally {
      // A folder that is open cannot be renamed or deleted on every server.
      await current.mailboxClose();
    }
  }

  return {
    flag: (path: string, uid: number, flag = '\\Seen') =>
      inFolder(path, (current) => current.messageFlagsAdd(String(uid), [flag], { uid: true })),
    unflag: (path: string, uid: number, flag = '\\Seen') =>
      inFolder(path, (current) => current.messageFlagsRemove(String(uid), [flag], { uid: true })),
    move: (path: string, uids: string, target: string) =>
      inFolder(path, (current) => current.messageMove(uids, target, { uid: true })),
    copy: (path: string, uids: string, target: string) =>
      inFolder(path, (current) => current.messageCopy(uids, target, { uid: true })),
    remove: (path: string, uids: string) => inFolder(path, (current) => current.messageDelete(uids, { uid: true })),
    createFolder: async (path: string) => (await connected()).mailboxCreate(path),
    renameFolder: async (path: string, target: string) => (await connected()).mailboxRename(path, target),
    removeFolder: async (path: string) => (await connected()).mailboxDelete(path),
  };
}

async function signIn(server: MailServer, user: string): Promise<ImapFlow> {
  const { address, password } = server.user(user);
  const client = new ImapFlow({
    host: server.host,
    port: server.ports.imaps,
    secure: true,
    tls: { ca: [server.ca.pem] },
    auth: { user: address, pass: password },
    disableAutoIdle: true,
    logger: false,
  });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

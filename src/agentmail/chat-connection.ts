import { once } from 'node:events';
import type { Connection, Host, NotSent } from '../connectors/connector.ts';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import type { AgentContext } from './agent.ts';
import type { PostOffice } from './delivery/post.ts';
import { agentOf, letterEvent, mailboxId } from './indexer/letter-message.ts';
import { watchMail } from './mailman/mail-watch.ts';
import type { KnownRepositories, MailIndexer } from './ports.ts';
import { HUMAN } from './user-name.ts';

export interface ChatConnectionParts {
  repositories: Pick<KnownRepositories, 'list'>;
  indexer: MailIndexer;
  post: Pick<PostOffice, 'send'>;
  /** The user as a sender in this repository. */
  humanIn(folder: string): Promise<AgentContext>;
  log: Log;
}

/** How often the list of watched repositories is renewed. */
const REPOSITORIES_EVERY_MS = 10_000;

const UNCERTAIN =
  'It was not certain that the user wrote this. If you did, send it again with `switchboard chat send`, and discard this one.';

export function createChatConnection(host: Host, parts: ChatConnectionParts): Connection {
  const { repositories, indexer, log } = parts;

  function readMail(): void {
    indexer.refresh().catch((err: unknown) => log.warn({ err }, 'agent mail could not be read'));
  }

  return {
    async run(signal) {
      const watching = watchMail(readMail, (folder, err) => log.debug({ err, folder }, 'a mailbox cannot be watched'));
      const follow = async () => watching.follow((await repositories.list()).map(({ folder }) => folder));
      let timer: NodeJS.Timeout | undefined;
      try {
        await follow();
        host.connected();
        readMail();
        timer = setInterval(() => void follow().catch(() => {}), REPOSITORIES_EVERY_MS);
        if (!signal.aborted) await once(signal, 'abort');
      } finally {
        clearInterval(timer);
        watching.close();
      }
      return undefined;
    },
    async send({ chat, text, asPerson }) {
      if (!asPerson) return notSent(UNCERTAIN);
      const sender = await senderFor(chat, parts);
      if (sender.kind === 'not-sent') return sender;
      const to = agentOf(chat);
      const outcome = await deliver({ sender: sender.context, to, text }, parts);
      if (outcome.kind === 'not-sent') return outcome;
      const letter = { repository: sender.folder, id: outcome.id, from: HUMAN, to, message: text };
      const now = host.clock.now();
      // It was sent, even if this fails: the indexer finds the letter again.
      await host
        .accept([letterEvent({ ...letter, createdAt: now }, now)])
        .catch((err: unknown) => log.warn({ err }, 'a sent letter could not be stored in chat'));
      return outcome;
    },
  };
}

type HumanSender = { kind: 'sender'; folder: string; context: AgentContext };

/** Until the letter is handed to the post office, nothing can have been sent. */
async function senderFor(
  mailbox: string,
  { repositories, humanIn }: ChatConnectionParts,
): Promise<HumanSender | NotSent> {
  try {
    const agent = agentOf(mailbox);
    const repository = (await repositories.list()).find(({ folder }) => mailboxId(agent, folder) === mailbox);
    if (!repository) return notSent('No repository with such a mailbox is known.');
    const { folder } = repository;
    return { kind: 'sender', folder, context: await humanIn(folder) };
  } catch (cause) {
    return notSent('The repository of this mailbox cannot be used.', cause);
  }
}

async function deliver(
  { sender, to, text }: { sender: AgentContext; to: string; text: string },
  { post }: ChatConnectionParts,
): Promise<{ kind: 'sent'; id: string } | NotSent> {
  try {
    return { kind: 'sent', id: (await post.send(sender, to, text)).id };
  } catch (error) {
    if (error instanceof AppError) return notSent(error.message, error);
    throw error;
  }
}

function notSent(reason: string, cause?: unknown): NotSent {
  return { kind: 'not-sent', reason, retry: false, cause };
}

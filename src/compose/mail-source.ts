import { once } from 'node:events';
import type { AgentContext } from '../agentmail/agent.ts';
import type { PostOffice } from '../agentmail/delivery/post.ts';
import { AGENTMAIL, agentOf, HUMAN, letterEvent, mailboxId } from '../agentmail/indexer/letter-message.ts';
import type { KnownRepositories, MailIndexer } from '../agentmail/ports.ts';
import type { SourceDefinition } from '../chat/engine/definition.ts';
import type { Connection, NotSent } from '../connectors/connector.ts';
import { AppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';

export interface MailSourceParts {
  repositories: KnownRepositories;
  indexer: MailIndexer;
  post: Pick<PostOffice, 'send'>;
  /** Where the person stands in this repository. */
  humanIn(folder: string): Promise<AgentContext>;
  log: Log;
}

/** Mail between agents as a source of chat: read as it comes, and answered in the person's name. */
export function mailSource(parts: () => Promise<MailSourceParts>): SourceDefinition {
  return {
    id: AGENTMAIL,
    kind: AGENTMAIL,
    name: 'Agent mail',
    configuredIn: 'built-in',
    canStream: true,
    canSend: true,
    speaksForPerson: true,
    isAside: true,
    howToConnect: 'Use agent mail in tmux once: agentmail send NAME MESSAGE',
    fingerprint: AGENTMAIL,
    async open(host): Promise<Connection> {
      const { repositories, indexer, post, humanIn, log } = await parts();
      /** Until it is handed to the post office, nothing can have left. */
      async function placeOf(chat: string): Promise<{ kind: 'place'; folder: string; at: AgentContext } | NotSent> {
        try {
          const repository = (await repositories.list()).find(
            ({ folder }) => mailboxId(agentOf(chat), folder) === chat,
          );
          if (!repository) return notSent('No repository with such a mailbox is known.');
          return { kind: 'place', folder: repository.folder, at: await humanIn(repository.folder) };
        } catch (cause) {
          return notSent('The repository of this mailbox cannot be used.', cause);
        }
      }
      async function deliver(
        at: AgentContext,
        to: string,
        text: string,
      ): Promise<{ kind: 'sent'; id: string } | NotSent> {
        try {
          return { kind: 'sent', id: (await post.send(at, to, text)).id };
        } catch (error) {
          if (error instanceof AppError) return notSent(error.message, error);
          throw error;
        }
      }
      return {
        async run(signal) {
          const { watchMail } = await import('../agentmail/mailman/mail-watch.ts');
          const look = () =>
            void indexer.refresh().catch((err: unknown) => log.warn({ err }, 'agent mail was not read'));
          const watching = watchMail(look, (folder, err) => log.debug({ err, folder }, 'a mailbox cannot be watched'));
          const follow = async () => watching.follow((await repositories.list()).map(({ folder }) => folder));
          let again: NodeJS.Timeout | undefined;
          try {
            await follow();
            host.connected();
            look();
            // Repositories come to be known while this goes on.
            again = setInterval(() => void follow().catch(() => {}), FOLLOW_MS);
            if (!signal.aborted) await once(signal, 'abort');
          } finally {
            clearInterval(again);
            watching.close();
          }
          return undefined;
        },
        async send({ chat, text }) {
          const place = await placeOf(chat);
          if (place.kind === 'not-sent') return place;
          const to = agentOf(chat);
          const outcome = await deliver(place.at, to, text);
          if (outcome.kind === 'not-sent') return outcome;
          const letter = { repository: place.folder, id: outcome.id, from: HUMAN, to, message: text };
          // It has left, whatever becomes of our own note of it: the index finds the letter again.
          await host
            .accept([letterEvent({ ...letter, createdAt: host.clock.now() }, host.clock.now())])
            .catch((err: unknown) => log.warn({ err }, 'what was sent could not be noted in chat'));
          return outcome;
        },
      };
    },
  };
}

const FOLLOW_MS = 10_000;

function notSent(reason: string, cause?: unknown): NotSent {
  return { kind: 'not-sent', reason, retry: false, cause };
}

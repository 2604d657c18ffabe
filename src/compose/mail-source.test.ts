import { test } from 'node:test';
import { notSent } from '../../tests/support/connectors/outcomes.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import { mailboxId } from '../agentmail/indexer/letter-message.ts';
import type { SendOutcome } from '../connectors/connector.ts';
import { AppError } from '../domain/errors.ts';
import { type MailSourceParts, mailSource } from './mail-source.ts';

test('a letter surely did not leave where its repository is gone, or cannot be looked for', async () => {
  const gone = new AppError('NO_AGENT_IDENTITY', 'The repository is gone.');
  const failing = [
    { humanIn: () => Promise.reject(gone) },
    { repositories: { ...REPOSITORIES, list: () => Promise.reject(new Error('the disk is full')) } },
  ];

  const outcomes = await Promise.all(failing.map(sendingWith));

  for (const outcome of outcomes) notSent(outcome);
});

const FOLDER = '/somewhere';
const REPOSITORIES = {
  list: async () => [{ folder: FOLDER, firstSeen: 0, lastSeen: 0 }],
  note: async () => {},
  forget: async () => {},
} as unknown as MailSourceParts['repositories'];

async function sendingWith(broken: Partial<MailSourceParts>): Promise<SendOutcome | undefined> {
  const nobody = () => Promise.reject(new Error('nobody comes here'));
  const parts = {
    repositories: REPOSITORIES,
    indexer: {},
    post: { send: nobody },
    humanIn: nobody,
    log: silentLog,
    ...broken,
  };
  const connection = await mailSource(async () => parts as unknown as MailSourceParts).open?.({} as never);
  return connection?.send?.({ id: '1', chat: mailboxId('Ada', FOLDER), text: 'hello' });
}

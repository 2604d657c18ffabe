import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notSent } from '../../tests/support/connectors/outcomes.ts';
import { silentLog } from '../../tests/support/operation-context.ts';
import type { SendOutcome } from '../connectors/connector.ts';
import { AppError } from '../domain/errors.ts';
import { type ChatConnectionParts, createChatConnection } from './chat-connection.ts';
import { mailboxId } from './indexer/letter-message.ts';

test('a letter is reported as not sent if its repository was removed or cannot be looked up', async () => {
  const gone = new AppError('NO_AGENT_IDENTITY', 'The repository is gone.');
  const failing = [
    { humanIn: () => Promise.reject(gone) },
    { repositories: { ...REPOSITORIES, list: () => Promise.reject(new Error('the disk is full')) } },
  ];

  const outcomes = await Promise.all(failing.map((broken) => sendingWith(broken)));

  for (const outcome of outcomes) assert.doesNotMatch(notSent(outcome).reason, /not certain/);
});

test('a letter of an earlier version, which did not store who wrote it, is not sent; the user is told what to do', async () => {
  const outcome = await sendingWith({}, { asPerson: false });

  assert.match(notSent(outcome).reason, /not certain that the user wrote this.*switchboard chat send/);
});

const FOLDER = '/somewhere';
const REPOSITORIES = {
  list: async () => [{ folder: FOLDER, firstSeen: 0, lastSeen: 0 }],
  note: async () => {},
  forget: async () => {},
} as unknown as ChatConnectionParts['repositories'];

async function sendingWith(
  broken: Partial<ChatConnectionParts>,
  { asPerson } = { asPerson: true },
): Promise<SendOutcome | undefined> {
  const nobody = () => Promise.reject(new Error('nobody comes here'));
  const parts = {
    repositories: REPOSITORIES,
    indexer: {},
    post: { send: nobody },
    humanIn: nobody,
    log: silentLog,
    ...broken,
  };
  const connection = createChatConnection({} as never, parts as unknown as ChatConnectionParts);
  return connection.send?.({ id: '1', chat: mailboxId('Ada', FOLDER), text: 'hello', asPerson });
}

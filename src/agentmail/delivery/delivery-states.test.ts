import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { standAt, temporaryRepository } from '../../../tests/support/agentmail/repository.ts';
import { systemClock } from '../../lib/clock.ts';
import { cleanUp } from '../mailbox/cleanup.ts';
import { createDeliveryStates } from './delivery-states.ts';
import { createPostOffice } from './post-office.ts';

function office() {
  const root = temporaryRepository(after);
  const warnings: string[] = [];
  const post = createPostOffice({ clock: systemClock, warn: (message) => warnings.push(message) });
  after(() => post.close());
  const mail = join(root, '.agentmail');
  return { root, mail, post, warnings, at: (name: string) => standAt(root, name, ['a1', 'a2']) };
}

/** Locks the state file as another process does while writing. */
function lockNotes(mail: string): () => void {
  const other = new DatabaseSync(join(mail, 'switchboard', 'side.db'));
  other.exec('begin immediate');
  return () => other.close();
}

describe('delivery state that another process has locked', () => {
  test('prevents a letter from being leased, without blocking the event loop', async () => {
    const { mail, post, at } = office();
    await post.send(at('a1'), 'a2', 'hello');
    const unlock = lockNotes(mail);
    let turns = 0;
    const turning = setInterval(() => (turns += 1), 1);

    const taking = post.take(at('a2'));

    await assert.rejects(taking, { code: 'BUSY', message: /side\.db was locked by another program/ });
    clearInterval(turning);
    assert.ok(turns > 2, `${turns}`);
    unlock();
    assert.equal((await post.take(at('a2')))?.letter.message, 'hello');
  });

  test('is retried until it is unlocked', async () => {
    const { mail, post, at, warnings } = office();
    await post.send(at('a1'), 'a2', 'hello');
    const unlock = lockNotes(mail);
    setTimeout(unlock, 200);

    const taken = await post.take(at('a2'));
    const unlockAgain = lockNotes(mail);
    setTimeout(unlockAgain, 200);
    await taken?.done();

    assert.equal(taken?.letter.message, 'hello');
    const [sent] = await post.sent(at('a1'), { limit: 1 });
    assert.equal(sent?.state, 'fetched');
    assert.deepEqual(warnings, []);
  });

  test('does not prevent sending', async () => {
    const { mail, post, at } = office();
    await post.send(at('a1'), 'a2', 'one');
    const unlock = lockNotes(mail);

    await post.send(at('a1'), 'a2', 'two');

    unlock();
    assert.equal((await post.history(at('a2'), { limit: 9 })).length, 2);
  });

  test('is not retried for each optional write', async () => {
    const { mail, post, at, warnings } = office();
    await post.send(at('a1'), 'a2', 'hello');
    const states = createDeliveryStates((message) => warnings.push(message));
    const unlock = lockNotes(mail);

    for (let index = 0; index < 9; index++) states.of(mail).sawRemoteAgent(`remote-${index}`, 1);

    unlock();
    states.close();
    assert.equal(warnings.length, 1);
  });
});

describe('delivery state that does not exist', () => {
  test('is not created by read operations', async () => {
    const { root, mail, post, at } = office();

    await post.recipients(at('a1'));
    await post.sent(at('a1'), { limit: 9 });
    await post.history(at('a1'), { limit: 9 });
    await cleanUp({
      ...{
        mailFolders: standAt(root, 'a1', ['a1']).mailFolders,
        windows: ['a1'],
        staleHours: 1,
        deliveredHours: 1,
        dryRun: true,
      },
      ...{ clock: systemClock, warn: assert.fail },
    });

    assert.equal(existsSync(mail), false);
  });
});

test('a damaged state file is not kept open', () => {
  const { mail } = office();
  const states = createDeliveryStates(() => {});
  states.of(mail).sawRemoteAgent('before', 1);
  // A write of another process causes the file to be read again.
  const other = new DatabaseSync(join(mail, 'switchboard', 'side.db'));
  other.exec("insert into remote_agents values ('other', 1); pragma wal_checkpoint(truncate)");
  writeFileSync(join(mail, 'switchboard', 'side.db'), 'this is no database, '.repeat(4_000));
  other.close();

  states.of(mail).remoteAgents(0);
  states.of(mail).sawRemoteAgent('after', 1);

  assert.deepEqual(states.of(mail).remoteAgents(0), ['after']);
  if (process.platform === 'linux')
    assert.deepEqual(
      openFiles().filter((path) => path.includes('damaged')),
      [],
    );
  states.close();
});

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((file) => {
    try {
      return [readlinkSync(join('/proc/self/fd', file))];
    } catch {
      return [];
    }
  });
}

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../tests/support/temporary-folder.ts';
import type { Session } from '../agentmail/mailman/sessions.ts';
import { createMailRounds } from './mail-rounds.ts';

const ORIGIN = { pid: 1, cwd: '/', tmux: '/tmp/s,1,0', tmuxPane: '%1' };
const SESSION: Session = { socket: '/tmp/s', serverPid: 1, id: '$1' };

describe('the rounds of the daemon', () => {
  test('have a mailman in the session of whoever called', async () => {
    const { rounds, main, watched } = createRounds(async () => SESSION);

    rounds.follow(ORIGIN, main);
    await new Promise(setImmediate);

    assert.deepEqual(watched, [SESSION]);
  });

  test('a session that is found while they end has no mailman, and the end waits for the search', async () => {
    const found = Promise.withResolvers<Session>();
    const { rounds, main, watched } = createRounds(() => found.promise);
    rounds.follow(ORIGIN, main);
    let isOver = false;

    const stopped = rounds.stop().then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    const wasOverBefore = isOver;
    found.resolve(SESSION);
    await stopped;
    rounds.follow({ ...ORIGIN, tmuxPane: '%2' }, main);
    await new Promise(setImmediate);

    assert.equal(wasOverBefore, false);
    assert.deepEqual(watched, []);
  });

  test('mailmen that are opened while they end watch nothing and are stopped', async () => {
    const opening = Promise.withResolvers<void>();
    const { rounds, main, watched, stops } = createRounds(
      async () => SESSION,
      () => opening.promise,
    );
    rounds.follow(ORIGIN, main);
    await new Promise(setImmediate);

    const stopped = rounds.stop();
    opening.resolve();
    await stopped;

    assert.deepEqual([watched, stops.length], [[], 1]);
  });
});

function createRounds(sessionFor: () => Promise<Session>, opening: () => Promise<void> = async () => {}) {
  const watched: Session[] = [];
  const stops: string[] = [];
  const mailmen = {
    watch: (_: string, session: Session) => void watched.push(session),
    isBusy: () => false,
    stop: async () => void stops.push('stopped'),
  };
  const rounds = createMailRounds({
    log: { debug: () => {} },
    sessionFor,
    mailmen: async () => {
      await opening();
      return mailmen;
    },
  });
  return { rounds, main: temporaryFolder(after), watched, stops };
}

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { createSessionMailmen } from './session-mailmen.ts';
import type { AgentSession } from './sessions.ts';

const ORIGIN = { pid: 1, cwd: '/', tmux: '/tmp/s,1,0', tmuxPane: '%1' };
const SESSION: AgentSession = { socket: '/tmp/s', serverPid: 1, id: '$1' };

describe('the mailmen of the daemon', () => {
  test('serve the session of the caller', async () => {
    const { mailmen, main, watched } = createMailmen(async () => SESSION);

    mailmen.follow(ORIGIN, main);
    await new Promise(setImmediate);

    assert.deepEqual(watched, [SESSION]);
  });

  test('do not serve a session that is found while they stop, and stopping waits for the search', async () => {
    const found = Promise.withResolvers<AgentSession>();
    const { mailmen, main, watched } = createMailmen(() => found.promise);
    mailmen.follow(ORIGIN, main);
    let isOver = false;

    const stopped = mailmen.stop().then(() => {
      isOver = true;
    });
    await new Promise(setImmediate);
    const wasOverBefore = isOver;
    found.resolve(SESSION);
    await stopped;
    mailmen.follow({ ...ORIGIN, tmuxPane: '%2' }, main);
    await new Promise(setImmediate);

    assert.equal(wasOverBefore, false);
    assert.deepEqual(watched, []);
  });

  test('watch nothing and are stopped if they are opened while stopping', async () => {
    const opening = Promise.withResolvers<void>();
    const { mailmen, main, watched, stops } = createMailmen(
      async () => SESSION,
      () => opening.promise,
    );
    mailmen.follow(ORIGIN, main);
    await new Promise(setImmediate);

    const stopped = mailmen.stop();
    opening.resolve();
    await stopped;

    assert.deepEqual([watched, stops.length], [[], 1]);
  });
});

function createMailmen(sessionFor: () => Promise<AgentSession>, opening: () => Promise<void> = async () => {}) {
  const watched: AgentSession[] = [];
  const stops: string[] = [];
  const served = {
    watch: (_: string, session: AgentSession) => void watched.push(session),
    isBusy: () => false,
    stop: async () => void stops.push('stopped'),
  };
  const mailmen = createSessionMailmen({
    log: { debug: () => {} },
    sessionFor,
    mailmen: async () => {
      await opening();
      return served;
    },
  });
  return { mailmen, main: temporaryFolder(after), watched, stops };
}

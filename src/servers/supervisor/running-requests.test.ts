import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GatewaySession } from '../../domain/gateway.ts';
import type { JsonObject } from '../../domain/json.ts';
import { createRunningRequests, type RunningRequest } from './running-requests.ts';

const NEVER = new AbortController().signal;

function sessionNamed(name: string) {
  const end = new AbortController();
  const session: GatewaySession = { ended: end.signal, ask: async () => ({ session: name }) };
  return { session, end: () => end.abort() };
}

function requestOf(name: string, session: GatewaySession | undefined, logged: JsonObject[] = []): RunningRequest {
  return {
    session,
    sessionKey: session ?? 'the principal',
    ask: async () => ({ request: name }),
    onLog: (params) => void logged.push(params),
  };
}

describe('what a server asks and logs without saying for which request', () => {
  test('HOST-22 is of the newest request, where all are of one client', async () => {
    const running = createRunningRequests();
    const { session } = sessionNamed('one');
    running.add(requestOf('older', session));
    running.add(requestOf('newer', session));

    assert.deepEqual(await running.ask('elicitation/create', {}, NEVER), { request: 'newer' });
  });

  test('HOST-22 is of no client, where requests are of several', async () => {
    const running = createRunningRequests();
    const logged: JsonObject[] = [];
    running.add(requestOf('a', sessionNamed('one').session, logged));
    const done = running.add(requestOf('b', sessionNamed('two').session, logged));

    await assert.rejects(running.ask('elicitation/create', {}, NEVER), /Several clients.*per_session/);
    assert.equal(running.log({ level: 'info' }), false);
    done();

    assert.deepEqual(await running.ask('elicitation/create', {}, NEVER), { request: 'a' });
    assert.equal(running.log({ level: 'info' }), true);
    assert.deepEqual(logged, [{ level: 'info' }]);
  });

  test('HOST-22 requests without a session are each of another client', async () => {
    const running = createRunningRequests();
    running.add(requestOf('a', undefined));
    running.add(requestOf('b', undefined));

    await assert.rejects(running.ask('sampling/createMessage', {}, NEVER), { code: 'CONFLICT' });
  });

  test('HOST-22 may be of a request that another client has given up', async () => {
    const running = createRunningRequests();
    const { session } = sessionNamed('one');
    const giveUp = running.add(requestOf('given up', session));
    running.add(requestOf('other', sessionNamed('two').session));
    giveUp(true);

    await assert.rejects(running.ask('elicitation/create', {}, NEVER), { code: 'CONFLICT' });
    running.reset();
    assert.deepEqual(await running.ask('elicitation/create', {}, NEVER), { request: 'other' });
  });

  test('HOST-22 a client that has given up a request can be asked for its next one', async () => {
    for (const session of [sessionNamed('one').session, undefined]) {
      const running = createRunningRequests();
      const giveUp = running.add(requestOf('given up', session));
      giveUp(true);
      running.add(requestOf('next', session));

      assert.deepEqual(await running.ask('elicitation/create', {}, NEVER), { request: 'next' });
    }
  });

  test('HOST-22 without a request, only roots are asked for, of the only client that has called', async () => {
    const running = createRunningRequests();
    const one = sessionNamed('one');
    const two = sessionNamed('two');
    assert.deepEqual(await running.ask('roots/list', {}, NEVER), { roots: [] });
    running.add(requestOf('a', one.session))();
    assert.deepEqual(await running.ask('roots/list', {}, NEVER), { session: 'one' });
    assert.equal(running.hasCalled(one.session), true);
    await assert.rejects(running.ask('elicitation/create', {}, NEVER), /No client is calling/);

    running.add(requestOf('b', two.session))();
    assert.deepEqual(await running.ask('roots/list', {}, NEVER), { roots: [] });
    one.end();

    assert.deepEqual(await running.ask('roots/list', {}, NEVER), { session: 'two' });
    assert.equal(running.hasCalled(one.session), false);
  });
});

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { definitionOf, startEngine } from '../../../tests/support/chat/fake-engine.ts';
import { createFakeNetwork } from '../../../tests/support/chat/fake-network.ts';
import { until } from '../../../tests/support/mcp/shim-program.ts';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { Login } from '../../connectors/connector.ts';
import type { SourceDefinition } from '../engine/definition.ts';
import { loginSource, logoutSource } from './sign-on.ts';

describe('signing on and off', () => {
  test('a source that was signed off remains so after a change or a restart, until it is signed on', async (context) => {
    const network = createFakeNetwork();
    const { engine, parts, isConnected } = await setting(context, definitionOf(network));
    await until('it is connected', isConnected);

    const off = await logoutSource.run({ source: 'net' }, parts);
    await engine.apply([{ ...definitionOf(network), fingerprint: 'changed' }]);
    await engine.stop();
    await engine.start();

    const seen = await engine.find('net');
    assert.deepEqual([off.is_connected, off.state, seen?.state, network.opened()], [false, 'stopped', 'stopped', 1]);
    assert.match(seen?.problem ?? '', /`switchboard chat login net` connects it again/);
    assert.equal(engine.isBusy(), false);

    const on = await loginSource.run({ source: 'net' }, parts);

    assert.deepEqual(on, { source: 'net', is_connected: true, state: 'connected' });
    assert.equal(loginSource.render?.(on), 'net is connected.');
    assert.equal(engine.isBusy(), true);
  });

  test('a rejected source is retried immediately, and the outcome is returned', async (context) => {
    const network = createFakeNetwork();
    network.refuseNext('The password is wrong.');
    const { engine, parts } = await setting(context, definitionOf(network));
    await until('it is refused', async () => (await engine.find('net'))?.state === 'rejected');

    network.refuseNext('The account is closed.');
    const refused = await loginSource.run({ source: 'net' }, parts);
    const accepted = await loginSource.run({ source: 'net' }, parts);

    assert.equal(loginSource.render?.(refused), 'net is not connected. The account is closed.');
    assert.deepEqual(
      [refused, accepted].map((each) => loginSource.cli?.failed?.(each)),
      [true, false],
    );
  });

  test('a network with an interactive sign-in asks step by step, and is connected at the end', async (context) => {
    const network = createFakeNetwork();
    network.refuseNext('Sign in first.');
    const answers: string[] = [];
    async function* login(): Login {
      answers.push(yield { kind: 'ask', field: 'phone', label: 'Phone number', secret: false });
      yield { kind: 'show-qr', data: 'code', expiresAt: 0 };
      return answers[0] === '1' ? { kind: 'done' } : { kind: 'failed', reason: 'The number is not known.' };
    }
    const { engine, parts } = await setting(context, { ...definitionOf(network), login });
    await until('it is refused', async () => (await engine.find('net'))?.state === 'rejected');

    const asked = await loginSource.run({ source: 'net' }, parts);
    const again = await loginSource.run({ source: 'net', login_id: asked.login_id }, parts);
    const code = await loginSource.run({ source: 'net', login_id: asked.login_id, answer: '1' }, parts);
    const done = await loginSource.run({ source: 'net', login_id: asked.login_id }, parts);

    assert.deepEqual(asked.step, { kind: 'ask', field: 'phone', label: 'Phone number', secret: false });
    assert.deepEqual(again, asked);
    assert.equal(loginSource.cli?.failed?.(asked), true);
    assert.deepEqual(code.step, { kind: 'show-qr', data: 'code', expires_at: '1970-01-01T00:00:00.000Z' });
    assert.equal(loginSource.cli?.question?.({ source: 'net' }, code)?.qrCode, 'code');
    assert.deepEqual(done, { source: 'net', is_connected: true, state: 'connected' });
  });

  test('a failed sign-in returns the reason', async (context) => {
    // biome-ignore lint/correctness/useYield: it fails before its first step
    async function* login(): Login {
      return { kind: 'failed', reason: 'The account is closed.' };
    }
    const { parts } = await setting(context, { ...definitionOf(createFakeNetwork()), login });

    const failed = await loginSource.run({ source: 'net' }, parts);

    assert.equal(loginSource.render?.(failed), 'net is not connected. The account is closed.');
  });

  test('signing off revokes the session and deletes its secrets, after the connection has ended', async (context) => {
    const network = createFakeNetwork();
    const seen: unknown[] = [];
    const { engine, parts, isConnected } = await setting(context, {
      ...definitionOf(network),
      async logout({ source, secrets, signal }) {
        seen.push([source, (await engine.find('net'))?.isConnected, signal.aborted]);
        await secrets.delete('session');
        return { kind: 'done' };
      },
    });
    await until('it is connected', isConnected);

    const off = await logoutSource.run({ source: 'net' }, parts);

    assert.deepEqual(seen, [['net', false, false]]);
    assert.equal(off.not_revoked, undefined);
    assert.equal(logoutSource.render?.(off), 'net is signed off, and stays so until `switchboard chat login net`.');
  });

  test('a session that could not be revoked is reported, and the source is signed off', async (context) => {
    const ends = [
      async () => ({ kind: 'not-revoked', reason: 'It is offline.' }) as const,
      async () => Promise.reject(new Error('x')),
    ];
    const reports: unknown[] = [];

    for (const logout of ends) {
      const { parts } = await setting(context, { ...definitionOf(createFakeNetwork()), logout });
      const off = await logoutSource.run({ source: 'net' }, parts);
      reports.push([off.state, logoutSource.render?.(off)]);
    }

    const off = 'net is signed off, and stays so until `switchboard chat login net`.';
    assert.deepEqual(reports, [
      ['stopped', `${off} It is offline.`],
      ['stopped', `${off} Its session could not be ended on the network: end it there.`],
    ]);
  });

  test('signing off ends a sign-in that is going on', async (context) => {
    let isCancelled = false;
    const { parts } = await setting(context, {
      ...definitionOf(createFakeNetwork()),
      async *login({ signal }): Login {
        signal.addEventListener('abort', () => {
          isCancelled = true;
        });
        yield { kind: 'ask', field: 'code', label: 'Code', secret: false };
        return { kind: 'done' };
      },
    });
    const { login_id: loginId } = await loginSource.run({ source: 'net' }, parts);

    await logoutSource.run({ source: 'net' }, parts);

    assert.equal(isCancelled, true);
    await assert.rejects(loginSource.run({ source: 'net', login_id: loginId, answer: '1' }, parts), {
      code: 'CONFLICT',
    });
  });

  test('a source without an account or without a connector is refused', async (context) => {
    const { open: _, ...silent } = definitionOf(createFakeNetwork());
    const { engine, parts } = await setting(context, { ...silent, kind: 'webhook' });

    await assert.rejects(loginSource.run({ source: 'net' }, parts), { code: 'INVALID_PARAMETER' });
    await engine.apply([{ ...silent, canStream: false, unavailable: 'It cannot.', fingerprint: 'two' }]);
    await assert.rejects(logoutSource.run({ source: 'net' }, parts), { code: 'SOURCE_NOT_CONNECTED' });
    await assert.rejects(loginSource.run({ source: 'none' }, parts), { code: 'SOURCE_NOT_FOUND' });
  });
});

async function setting(context: TestContext, definition: SourceDefinition) {
  const { engine, store } = await startEngine(context);
  await engine.apply([definition]);
  return {
    engine,
    parts: contextWith({ sources: engine, accounts: engine, sourceRepository: store.sources }),
    isConnected: async () => (await engine.find(definition.id))?.isConnected === true,
  };
}

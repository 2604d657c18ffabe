import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CONFIG_MODEL, load } from '../../tests/support/config.ts';
import { changesBetween } from './changes.ts';
import { createConfigInForce } from './in-force.ts';

const HASH = 'a'.repeat(64);

describe('a changed configuration', () => {
  test('is reported by its keys: those applied immediately, and those that require a restart', async () => {
    const { config: before } = await load({ yaml: 'logging: { level: info }\nauth: { token: one }\n' });
    const { config: after } = await load({
      yaml: `
logging: { level: debug }
auth: { tokens: [{ name: ci, token_hash: ${HASH}, scopes: ["chat:read"] }] }
limits: { max_concurrent: 7, connect_timeout_ms: 50 }
mcp: { allowed_hosts: [here.example.org] }
daemon: { idle_exit_ms: 5 }
`,
    });

    const { live, atStart } = changesBetween(before, after, CONFIG_MODEL);

    assert.deepEqual(
      live.filter((key) => !key.startsWith('auth.tokens')),
      ['auth.token', 'limits.max_concurrent', 'logging.level'],
    );
    assert.ok(live.some((key) => key.startsWith('auth.tokens')));
    assert.deepEqual(atStart, ['daemon.idle_exit_ms', 'limits.connect_timeout_ms', 'mcp.allowed_hosts']);
  });

  test('that adds the first source or removes the last one requires no restart', async () => {
    const { config: none } = await load({ yaml: '' });
    const { config: one } = await load({ yaml: 'sources: { hook: { kind: webhook } }' });

    for (const { live, atStart } of [
      changesBetween(none, one, CONFIG_MODEL),
      changesBetween(one, none, CONFIG_MODEL),
    ]) {
      assert.ok(live.includes('sources.hook.kind'));
      assert.deepEqual(atStart, []);
    }
  });

  test('with the same values in another notation counts as unchanged', async () => {
    const { config: before } = await load({ yaml: 'logging: { level: debug }' });
    const { config: after } = await load({ env: { SWITCHBOARD_LOGGING__LEVEL: 'debug' } });

    assert.deepEqual(changesBetween(before, after, CONFIG_MODEL), { live: [], atStart: [] });
  });

  test('replaces the current one as a whole, except for what is read at startup', async () => {
    const { config } = await load({
      yaml: 'auth: { token: one }\ndaemon: { idle_exit_ms: 5 }\nsources: { old: { kind: webhook } }',
    });
    const { config: next } = await load({
      yaml: 'limits: { max_concurrent: 7 }\nsources: { hook: { kind: webhook } }',
    });
    const inForce = createConfigInForce(CONFIG_MODEL, config);
    const before = inForce.current();

    const { atStart } = await inForce.replace(next);
    const { limits, auth, daemon, sources } = inForce.current();

    assert.equal(limits.max_concurrent, 7);
    assert.equal(auth.token, undefined);
    assert.equal(daemon.idle_exit_ms, 5);
    assert.deepEqual(atStart, ['daemon.idle_exit_ms']);
    assert.deepEqual(Object.keys(sources as object), ['hook']);
    assert.deepEqual([before.auth.token, before.limits.max_concurrent], ['one', 100]);
  });

  test('is deeply frozen, and listeners are called for their sections only', async () => {
    const { config } = await load({ yaml: '' });
    const { config: next } = await load({ yaml: 'logging: { level: debug }\nserver: { name: mine }' });
    const inForce = createConfigInForce(CONFIG_MODEL, config);
    const heard: string[] = [];
    inForce.onChange(['logging', 'limits'], (keys) => heard.push(`logging ${keys}`));
    inForce.onChange(['sources'], () => heard.push('sources'));
    const stop = inForce.onChange(['server'], () => heard.push('server'));
    stop();

    await inForce.replace(next);

    assert.deepEqual(heard, ['logging logging.level']);
    assert.throws(() => {
      (inForce.current().auth.tokens as unknown[]).push('more');
    }, TypeError);
  });
});

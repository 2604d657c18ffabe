import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../tests/support/config.ts';
import { adopt, changesBetween } from './changes.ts';

const HASH = 'a'.repeat(64);

describe('a changed configuration', () => {
  test('is told by its keys: what can be used at once, and what takes a new start', async () => {
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

    const { live, atStart } = changesBetween(before, after);

    assert.deepEqual(
      live.filter((key) => !key.startsWith('auth.tokens')),
      ['auth.token', 'limits.max_concurrent', 'logging.level'],
    );
    assert.ok(live.some((key) => key.startsWith('auth.tokens')));
    assert.deepEqual(atStart, ['daemon.idle_exit_ms', 'limits.connect_timeout_ms', 'mcp.allowed_hosts']);
  });

  test('that brings the first source, or takes the last one, takes no new start', async () => {
    const { config: none } = await load({ yaml: '' });
    const { config: one } = await load({ yaml: 'sources: { hook: { kind: webhook } }' });

    for (const { live, atStart } of [changesBetween(none, one), changesBetween(one, none)]) {
      assert.ok(live.includes('sources.hook.kind'));
      assert.deepEqual(atStart, []);
    }
  });

  test('that says the same in other words has not changed', async () => {
    const { config: before } = await load({ yaml: 'logging: { level: debug }' });
    const { config: after } = await load({ env: { SWITCHBOARD_LOGGING__LEVEL: 'debug' } });

    assert.deepEqual(changesBetween(before, after), { live: [], atStart: [] });
  });

  test('is in force for whoever was given it before, without what is not set any more', async () => {
    const { config } = await load({
      yaml: 'auth: { token: one }\ndaemon: { idle_exit_ms: 5 }\nsources: { old: { kind: webhook } }',
    });
    const { config: next } = await load({
      yaml: 'limits: { max_concurrent: 7 }\nsources: { hook: { kind: webhook } }',
    });
    const { limits, auth, sources } = config;

    adopt(config, next);

    assert.equal(limits.max_concurrent, 7);
    assert.equal(auth.token, undefined);
    assert.equal(config.daemon.idle_exit_ms, 5);
    assert.deepEqual(Object.keys(sources), ['hook']);
  });
});

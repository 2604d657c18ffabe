import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../domain/errors.ts';
import { BEARER_SECRET, defineServer } from './define-server.ts';
import type { ServerInput } from './server-input.ts';

const LOCAL: ServerInput = { name: 'Files', package: { type: 'npm', identifier: 'files' }, transport: 'stdio' };
const URL = 'https://server.example.test/mcp';
const REMOTE: ServerInput = { name: 'Away', package: { type: 'http' }, transport: { type: 'http', url: URL } };

function refusal(input: ServerInput, known?: ReadonlySet<string>) {
  try {
    defineServer(input, known);
  } catch (error) {
    assert.ok(error instanceof AppError);
    const { code, message, field } = error;
    return { code, message, field };
  }
  throw new Error('it was not refused');
}

describe('the configuration of a server', () => {
  test('HOST-03 has defaults for all that is not given', () => {
    const { config, secrets } = defineServer(LOCAL);

    assert.deepEqual(config, {
      id: 'files',
      name: 'Files',
      enabled: true,
      source: { type: 'manual' },
      package: { type: 'npm', identifier: 'files' },
      transport: { type: 'stdio' },
      args: [],
      env_vars: {},
      headers: {},
      auth: { type: 'none' },
      config: {},
      tools: {},
      start: 'eager',
      trusted: false,
      protocol: 'auto',
      connection: 'shared',
    });
    assert.equal(secrets.size, 0);
  });

  test('HOST-14 is refused with the texts of the specification, in its order', () => {
    const { name, ...nameless } = LOCAL;
    const cases: [ServerInput, string, string][] = [
      [{}, 'name', 'Name is required'],
      [nameless, 'name', 'Name is required'],
      [{ ...LOCAL, name: ' \t' }, 'name', 'Name is required'],
      [{ name }, 'package.identifier', 'Package identifier required'],
      [{ name, package: { type: 'npm', identifier: '  ' } }, 'package.identifier', 'Package identifier required'],
      [{ name, package: { type: 'npm', identifier: 'x' } }, 'transport', 'Transport required'],
      [{ ...LOCAL, env_vars: { REGION: { required: true } } }, 'env_vars', 'Missing required credentials'],
      [{ ...REMOTE, headers: { 'X-Key': { required: true } } }, 'env_vars', 'Missing required credentials'],
    ];

    for (const [input, field, message] of cases) {
      assert.deepEqual(refusal(input), { code: 'VALIDATION_ERROR', message, field });
    }
  });

  test('its transport fits its package, and a URL is of HTTP', () => {
    assert.equal(refusal({ ...LOCAL, transport: { type: 'http', url: URL } }).field, 'transport');
    assert.equal(refusal({ ...REMOTE, transport: 'stdio' }).field, 'package.identifier');
    assert.equal(refusal({ ...REMOTE, transport: { type: 'http', url: 'file:///etc/passwd' } }).field, 'transport.url');
  });

  test('HOST-12 holds no secret: values of what looks like one, or is one, are given apart', () => {
    const { config, secrets } = defineServer({
      ...REMOTE,
      env_vars: { GITHUB_TOKEN: 'one', MODE: 'fast', WORD: { value: 'two', is_secret: true } },
      headers: { Authorization: 'three', 'X-Tenant': 'acme' },
      auth: { type: 'bearer', token: 'four' },
    });

    assert.deepEqual(Object.fromEntries(secrets), {
      GITHUB_TOKEN: 'one',
      WORD: 'two',
      'header.authorization': 'three',
      [BEARER_SECRET]: 'four',
    });
    assert.deepEqual(config.env_vars, {
      GITHUB_TOKEN: { is_secret: true, secret_ref: 'GITHUB_TOKEN' },
      MODE: { is_secret: false, value: 'fast' },
      WORD: { is_secret: true, secret_ref: 'WORD' },
    });
    assert.doesNotMatch(JSON.stringify(config), /one|two|three|four/);
  });

  test('a secret of an OAuth client is given apart, too', () => {
    const auth = { type: 'oauth' as const, client_id: 'me', client_secret: 'five', scopes: ['read'] };

    const { config, secrets } = defineServer({ ...REMOTE, auth });

    assert.deepEqual(config.auth, { type: 'oauth', client_id: 'me', scopes: ['read'] });
    assert.deepEqual([...secrets], [['oauth_client_secret', 'five']]);
  });

  test('a reference to a secret wins over a value, and a reference in a value is kept', () => {
    const { config, secrets } = defineServer({
      ...LOCAL,
      env_vars: {
        API_KEY: { value: 'ignored', secret_ref: 'other' },
        TOKEN: `\${env:MY_TOKEN}`,
      },
    });

    assert.deepEqual(config.env_vars, {
      API_KEY: { is_secret: true, secret_ref: 'other' },
      TOKEN: { is_secret: false, value: `\${env:MY_TOKEN}` },
    });
    assert.equal(secrets.size, 0);
  });

  test('HOST-18 MC-NT4 what is required may be stored already', () => {
    const input = { ...LOCAL, env_vars: { API_KEY: { is_secret: true, required: true } } };

    assert.equal(refusal(input).message, 'Missing required credentials');
    assert.doesNotThrow(() => defineServer(input, new Set(['API_KEY'])));
  });
});

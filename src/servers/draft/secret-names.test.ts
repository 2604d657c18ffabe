import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasSecretArgument, isSecretHeader, isSecretName, isSecretValue } from './secret-names.ts';

describe('a secret', () => {
  test('is recognised by its name (MR-T8)', () => {
    const names = [
      'GITHUB_TOKEN',
      'GH_PAT',
      'STRIPE_KEY',
      'CLIENT_SECRET',
      'DB_PASSWORD',
      'X_CREDENTIALS',
      'BASIC_AUTH',
    ];
    const others = [
      'API_KEY',
      'OPENAI_API_KEY_2',
      'ACCESS_TOKEN_FILE',
      'PRIVATE_KEY',
      'apiKey',
      'api-key',
      'token',
      'APIKEY',
    ];

    for (const name of [...names, ...others]) assert.equal(isSecretName(name), true, name);
    for (const name of [
      'UNITS',
      'DATA_PATH',
      'COMMIT_AUTHOR',
      'SEARCH_KEYWORDS',
      'PORT',
      'HOME',
      'MONKEY',
      '__proto__',
    ]) {
      assert.equal(isSecretName(name), false, name);
    }
  });

  test('is recognised in headers and by its value', () => {
    for (const name of ['Authorization', 'X-API-Key', 'cookie']) assert.equal(isSecretHeader(name), true, name);
    assert.equal(isSecretHeader('Accept'), false);
    for (const value of ['postgres://me:pw@db/x', 'ghp_abc', 'sk-abc']) assert.equal(isSecretValue(value), true, value);
    for (const value of ['https://example.com/a:b@c', 'plain', '']) assert.equal(isSecretValue(value), false, value);
  });

  test('is recognised among arguments', () => {
    const secret = [
      ['--api-key', 'x'],
      ['--token=x'],
      ['-H', 'Authorization: Bearer x'],
      ['--url', 'redis://:pw@h'],
      ['ghp_x'],
      ['-e', 'MY_TOKEN=x'],
    ];
    const plain = [['--key-file', 'x'], ['--token'], ['--api-key', '--verbose'], [`Authorization:\${AUTH}`], ['a:b']];

    for (const args of secret) assert.equal(hasSecretArgument(args), true, args.join(' '));
    for (const args of plain) assert.equal(hasSecretArgument(args), false, args.join(' '));
  });
});

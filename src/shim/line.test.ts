import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { remoteOptions, shimOptions } from './line.ts';

const env = { HOME: '/u', SWITCHBOARD_HOME: '/h' };
const base = { home: '/h', program: 'p', only: [], readOnly: false, mayStart: true };
const optionsOf = (line: string, given: NodeJS.ProcessEnv = env) => shimOptions(line.split(' '), given, 'p');

describe('command lines that the shim handles', () => {
  const lines: Record<string, object> = {
    mcp: base,
    'mcp --only chat,email': { ...base, only: ['chat', 'email'] },
    'mcp --only=chat --only email': { ...base, only: ['chat', 'email'] },
    'mcp --read-only': { ...base, readOnly: true },
    'mcp --home /other': { ...base, home: '/other' },
  };
  for (const [line, options] of Object.entries(lines)) {
    test(`switchboard ${line}`, () => {
      assert.deepEqual(optionsOf(line), options);
    });
  }

  test('the home is read from the configuration, with its tilde expanded', () => {
    assert.equal(optionsOf('mcp', { HOME: '/u' })?.home, '/u/.switchboard');
    assert.equal(optionsOf('mcp', { HOME: '/u', SWITCHBOARD_HOME: '~/x' })?.home, '/u/x');
  });
});

describe('command lines that it does not handle', () => {
  const others = [
    'mcp --embedded',
    'mcp --port 1',
    'mcp --help',
    'mcp --only',
    'mcp --only --read-only',
    'mcp x',
    'status',
    '',
  ];
  for (const line of others) {
    test(`switchboard ${line}`, () => {
      assert.equal(optionsOf(line), undefined);
    });
  }
});

describe('EMAIL-02 command lines for a remote Switchboard', () => {
  const remoteOf = (line: string, given: NodeJS.ProcessEnv = env) => remoteOptions(line.split(' '), given);

  test('have the address, the token and the selected capabilities', () => {
    const options = remoteOf('mcp --api-url=http://host:1 --json --token T --only chat,email --home /h');

    assert.equal(options?.url.href, 'http://host:1/mcp/chat,email');
    assert.equal(options.token, 'T');
    assert.deepEqual(options.only, ['chat', 'email']);
  });

  test('may have the token in the environment, where other users cannot read it', () => {
    assert.equal(remoteOf('mcp --api-url http://host', { SWITCHBOARD_API_TOKEN: 'E' })?.token, 'E');
    assert.equal(remoteOf('mcp --api-url http://host --token T', { SWITCHBOARD_API_TOKEN: 'E' })?.token, 'T');
    assert.equal(remoteOf('mcp --api-url http://host')?.token, undefined);
  });

  const others = [
    'mcp',
    'mcp --token T',
    'mcp --api-url',
    'mcp --api-url host:1',
    'mcp --api-url http://a --api-url http://b',
    'mcp --api-url http://a --port 1',
    'mcp --api-url http://a --embedded',
    'mcp --api-url http://a --read-only',
    'status --api-url http://a',
  ];
  for (const line of others) {
    test(`do not include switchboard ${line}`, () => {
      assert.equal(remoteOf(line), undefined);
      if (line !== 'mcp') assert.equal(optionsOf(line), undefined);
    });
  }
});

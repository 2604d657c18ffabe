import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { shimOptions } from './line.ts';

const env = { HOME: '/u', SWITCHBOARD_HOME: '/h' };
const base = { home: '/h', program: 'p', only: [], readOnly: false, mayStart: true };
const optionsOf = (line: string, given: NodeJS.ProcessEnv = env) => shimOptions(line.split(' '), given, 'p');

describe('lines that are a shim’s work', () => {
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

  test('the home is where the configuration says, its tilde replaced', () => {
    assert.equal(optionsOf('mcp', { HOME: '/u' })?.home, '/u/.switchboard');
    assert.equal(optionsOf('mcp', { HOME: '/u', SWITCHBOARD_HOME: '~/x' })?.home, '/u/x');
  });
});

describe('lines that are not', () => {
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

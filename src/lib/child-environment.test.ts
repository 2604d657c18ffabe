import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { childEnvironment } from './child-environment.ts';

test('a started program gets what it needs to run, and no other variable', () => {
  const env = {
    PATH: '/usr/bin',
    HOME: '/home/a',
    LC_ALL: 'C.UTF-8',
    CODEX_HOME: '/x',
    API_KEY: 'secret',
    TMUX: '/tmp/x',
  };

  assert.deepEqual(childEnvironment(env), { PATH: '/usr/bin', HOME: '/home/a', LC_ALL: 'C.UTF-8' });
  assert.deepEqual(childEnvironment({ CODEX_HOME: '/x', API_KEY: 'secret' }, { also: ['CODEX_HOME'] }), {
    CODEX_HOME: '/x',
  });
});

test('a relative or empty entry of PATH is left out', () => {
  assert.equal(childEnvironment({ PATH: ':.:node_modules/.bin:/usr/bin:../bin:/bin:' }).PATH, '/usr/bin:/bin');
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 8 })), (entries) => {
      const { PATH = '' } = childEnvironment({ PATH: entries.join(':') });
      return PATH === '' || PATH.split(':').every((entry) => entry.startsWith('/'));
    }),
  );
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { resolveAccount } from './resolve-account.ts';

const WORK = { id: 'work', name: 'Example Ltd', email: 'alice@example.test' };
const HOME = { id: 'home', name: 'Private', email: 'alice@home.test' };
const CLUB = { id: 'club', name: 'Example Club', email: 'board@club.test' };
const ALL = [WORK, HOME, CLUB];

describe('the account that a caller means', () => {
  for (const [wanted, meant] of [
    ['work', WORK],
    ['WORK', WORK],
    ['private', HOME],
    ['example ltd', WORK],
    ['Alice@Home.test', HOME],
    ['board', CLUB],
    ['  Priv ', HOME],
  ] as const) {
    test(`EMAIL-19 is ${meant.id} for '${wanted}'`, () => {
      assert.equal(resolveAccount(ALL, wanted), meant);
    });
  }

  test('EMAIL-19 is one with exactly this id or name rather than several that contain it', () => {
    const other = { id: 'private', name: 'Example', email: 'x@other.test' };

    assert.equal(resolveAccount([...ALL, other], 'private'), other);
    assert.equal(resolveAccount([...ALL, other], 'EXAMPLE'), other);
  });

  test('EMAIL-19 is unclear where a part fits several, and the error lists them', () => {
    assert.throws(() => resolveAccount(ALL, 'example'), {
      code: 'ACCOUNT_AMBIGUOUS',
      field: 'account',
      message:
        'Account "example" fits several: work ("Example Ltd", alice@example.test), club ("Example Club", board@club.test).',
    });
  });

  test('EMAIL-19 is unknown where nothing fits, and the error lists what there is', () => {
    assert.throws(() => resolveAccount([WORK, HOME], 'no\nne'), {
      code: 'ACCOUNT_NOT_FOUND',
      field: 'account',
      message:
        'Account "no\\nne" not found. There are: work ("Example Ltd", alice@example.test), home ("Private", alice@home.test).',
    });
    assert.throws(() => resolveAccount([], 'work'), {
      code: 'ACCOUNT_NOT_FOUND',
      message: 'Account "work" not found. No email account is configured.',
    });
  });

  test('EMAIL-10 is the only one where none is named', () => {
    assert.equal(resolveAccount([HOME]), HOME);
    assert.equal(resolveAccount([HOME], ''), HOME);
  });

  test('EMAIL-10 must be named where there are several', () => {
    assert.throws(() => resolveAccount([WORK, { ...HOME, name: 'home' }]), {
      code: 'ACCOUNT_AMBIGUOUS',
      field: 'account',
      message: 'There are several accounts: work ("Example Ltd", alice@example.test), home (alice@home.test).',
      hint: 'Name one in `account`, by its id, name or address.',
    });
  });

  test('does not exist where there is no account at all', () => {
    assert.throws(() => resolveAccount([]), { code: 'ACCOUNT_NOT_FOUND', message: 'No email account is configured.' });
  });
});

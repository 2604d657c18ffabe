import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { claimsUser } from './user-name.ts';

describe("a name that claims to be the user's", () => {
  for (const name of ['human', 'HUMAN', ' hu man ', 'hu\tman\u0007', 'hu\u200bman', 'нuman', 'ｈｕｍａｎ']) {
    test(`is ${JSON.stringify(name)}`, () => assert.equal(claimsUser(name), true));
  }

  for (const name of ['', 'humans', 'hu-man', 'reviewer', 'humain', 'menschlich', 'ü', `human${' '.repeat(200)}`]) {
    test(`is not ${JSON.stringify(name.slice(0, 20))}`, () => assert.equal(claimsUser(name), false));
  }
});

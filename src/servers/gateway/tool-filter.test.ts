import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { allowsTool } from './tool-filter.ts';

describe('which tools of a server are offered', () => {
  test('HOST-22 all, where neither list is given', () => {
    assert.equal(allowsTool({}, 'anything'), true);
  });

  test('HOST-22 only those that are allowed, by patterns', () => {
    const tools = { allow: ['get_*', 'list'] };

    assert.deepEqual(
      ['get_issue', 'list', 'list_all', 'delete'].map((name) => allowsTool(tools, name)),
      [true, true, false, false],
    );
  });

  test('HOST-22 a denied tool is not offered, even if it is allowed', () => {
    const tools = { allow: ['*'], deny: ['*delete*'] };

    assert.deepEqual(
      ['get', 'delete', 'force_delete_all'].map((name) => allowsTool(tools, name)),
      [true, false, false],
    );
  });

  test('HOST-22 an empty list of allowed tools offers none', () => {
    assert.equal(allowsTool({ allow: [] }, 'get'), false);
  });
});

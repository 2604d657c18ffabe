import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gitSetting } from './git-config.ts';

describe("a setting in git's configuration", () => {
  for (const [text, expected] of [
    ['[core]\n\tbare = true\n', 'true'],
    ['[CORE]\n\tBare=true', 'true'],
    ['[core]\nbare = false\n[user]\nname = x\n[core]\nbare = true\n', 'true'],
    ['[core]\r\n\tbare = "true"\r\n', 'true'],
    ['[user]\nbare = true\n', undefined],
    ['[core "sub"]\nbare = true\n', undefined],
    ['bare = true\n', undefined],
    ['', undefined],
  ] as const) {
    test(`is ${expected} in ${JSON.stringify(text)}`, () => {
      assert.equal(gitSetting(text, 'core', 'bare'), expected);
    });
  }

  test('is found in time proportional to the length of the file', { timeout: 20_000 }, () => {
    const pathological = [
      `[core]\n${' '.repeat(1_000_000)}`,
      `[core]\nbare = x${' '.repeat(500_000)}y${' '.repeat(500_000)}`,
      '[core]\n'.repeat(150_000),
      `[core]\n${'bare\n'.repeat(200_000)}`,
      '='.repeat(1_000_000),
    ];

    for (const text of pathological) gitSetting(text, 'core', 'bare');
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { load } from '../../tests/support/config.ts';
import { PRESETS } from './accounts/presets.ts';

const PAGE = readFileSync(new URL('../../docs/email.md', import.meta.url), 'utf8');

describe('docs/email.md', () => {
  test('has an example that is a valid configuration', async () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(PAGE) ?? [];

    const { config, references } = await load({ yaml });

    assert.deepEqual(Object.keys(config.accounts), ['work', 'private']);
    assert.deepEqual(
      references.map(({ name }) => name),
      ['WORK_PASSWORD'],
    );
  });

  test('explains every provider that is known', () => {
    const missing = Object.values(PRESETS).filter(({ name }) => !PAGE.includes(name));

    assert.deepEqual(missing, []);
  });
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CONNECTORS } from './registry.ts';

const HERE = new URL('./', import.meta.url);

describe('the list of connectors', () => {
  test('has every folder that is one, under its kind', async () => {
    const folders = readdirSync(HERE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/index.ts`, HERE)))
      .map(({ name }) => name);

    const kinds = await Promise.all(Object.values(CONNECTORS).map(async (load) => (await load()).kind));

    assert.deepEqual(Object.keys(CONNECTORS).sort(), folders.sort());
    assert.deepEqual(kinds.sort(), folders);
  });

  test('each has a page on the oddities of its network', () => {
    const without = Object.keys(CONNECTORS).filter((kind) => !existsSync(new URL(`${kind}/README.md`, HERE)));

    assert.deepEqual(without, []);
  });
});

import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CONNECTORS } from './registry.ts';

const HERE = new URL('./', import.meta.url);

describe('the list of connectors', () => {
  test('has every folder that is one, under its kind', () => {
    const folders = readdirSync(HERE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/index.ts`, HERE)))
      .map(({ name }) => name);

    assert.deepEqual(CONNECTORS.map(({ kind }) => kind).sort(), folders.sort());
  });

  test('each has a page on the oddities of its network', () => {
    const without = CONNECTORS.filter(({ kind }) => !existsSync(new URL(`${kind}/README.md`, HERE)));

    assert.deepEqual(without, []);
  });

  test('each loads the code of its network only when a connection is opened', () => {
    const light = new Set(['zod', '../connector.ts', '../../settings.ts', './settings.ts']);

    const heavy = CONNECTORS.flatMap(({ kind }) =>
      ['index', 'settings'].flatMap((name) => eagerImports(new URL(`${kind}/${name}.ts`, HERE))),
    ).filter((specifier) => !light.has(specifier));

    assert.deepEqual(heavy, []);
  });
});

function eagerImports(module: URL): string[] {
  return [...readFileSync(module, 'utf8').matchAll(/^import (?!type\b).*? from '([^']+)';/gm)].map(
    ([, from = '']) => from,
  );
}

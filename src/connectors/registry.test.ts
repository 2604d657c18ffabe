import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { CONNECTORS } from './registry.ts';

/** Those of email, which has a contract of its own. */
const WITH_ANOTHER_CONTRACT = ['imap'];
const HERE = new URL('./', import.meta.url);

describe('the connector registry', () => {
  test('lists every connector folder under its kind', () => {
    const folders = readdirSync(HERE, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && existsSync(new URL(`${entry.name}/index.ts`, HERE)))
      .map(({ name }) => name);

    assert.deepEqual([...CONNECTORS.map(({ kind }) => kind), ...WITH_ANOTHER_CONTRACT].sort(), folders.sort());
  });

  test('each connector has a README.md', () => {
    const without = CONNECTORS.filter(({ kind }) => !existsSync(new URL(`${kind}/README.md`, HERE)));

    assert.deepEqual(without, []);
  });

  test('each connector loads the code of its network only when a connection is opened', () => {
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

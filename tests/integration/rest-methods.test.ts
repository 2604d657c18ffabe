import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';

const operations = composedCapabilities().flatMap((capability) => capability.operations);

test('no GET changes anything: a page of any origin could have a browser send it', () => {
  const changing = operations.filter(
    ({ rest, effect, kind }) => rest?.method === 'GET' && (effect !== 'reads' || kind !== 'query'),
  );

  assert.ok(operations.some(({ rest }) => rest?.method === 'GET'));
  assert.deepEqual(
    changing.map(({ rest }) => rest?.path),
    [],
  );
});

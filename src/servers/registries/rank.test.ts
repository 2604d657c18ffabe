import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ranked } from './rank.ts';
import type { RegistryEntry } from './registry-entry.ts';

test('results are ordered by exact name, beginning, part of the name, description, then by name (MR-T4)', () => {
  const entries = [
    entry('z/other', 'Semantic match'),
    entry('b/forecast', 'Has weather in it'),
    entry('b/my-weather', ''),
    entry('b/weatherman', ''),
    entry('a/weather-b', ''),
    entry('c/weather', ''),
    entry('C/Weather', 'the same again'),
    { ...entry('d/xyz', ''), title: 'WEATHER' },
  ];

  const ids = ranked(entries, 'Weather').map(({ id }) => id);

  assert.deepEqual(ids, ['c/weather', 'd/xyz', 'a/weather-b', 'b/weatherman', 'b/my-weather', 'b/forecast', 'z/other']);
});

function entry(id: string, description: string): RegistryEntry {
  return { registry: 'official', id, title: id.slice(id.indexOf('/') + 1), description };
}

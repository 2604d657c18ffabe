import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

const ROOT = new URL('../', import.meta.url);
const ROWS = readFileSync(new URL('SECURITY.md', ROOT), 'utf8')
  .split('\n')
  .filter((line) => /^\| (?!who \|)[^-]/.test(line));

describe('SECURITY.md', () => {
  test('names for every attack a test that exists', () => {
    const missing = ROWS.flatMap(referencesIn).filter((reference) => !exists(reference));

    assert.ok(ROWS.length > 40, 'there are rows to check');
    assert.deepEqual(missing, []);
  });

  test('says so where an attack is not stopped', () => {
    const without = ROWS.filter((row) => referencesIn(row).length === 0);

    for (const row of without) assert.match(row, /not stopped/);
  });
});

interface Reference {
  file: string;
  title: string;
}

/** `` `tests/e2e/x.test.ts`: “title”, “title” ``, several separated by a line break. */
function referencesIn(row: string): Reference[] {
  return row.split('<br>').flatMap((part) => {
    const [, file = ''] = /`((?:src|tests)\/[^`]+\.ts)`: “/.exec(part) ?? [];
    return file === '' ? [] : [...part.matchAll(/“([^”]*)”/g)].map(([, title = '']) => ({ file, title }));
  });
}

/** Parts of a title that a test computes match anything; a reference that ends in `…` is the beginning of a title. */
function exists({ file, title }: Reference): boolean {
  const path = new URL(file, ROOT);
  if (!existsSync(path)) return false;
  const titles = [...readFileSync(path, 'utf8').matchAll(/(?:test|describe|it)\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/g)];
  return titles.some(([, , text = '']) => {
    const parts = text.replaceAll("\\'", "'").split(/\$\{(?:[^{}]|\{[^}]*\})*\}/);
    const pattern = parts.map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+');
    if (!title.includes('…')) return new RegExp(`^${pattern}$`).test(title);
    return (parts[0] ?? '').startsWith((title.split('…')[0] ?? '').trim());
  });
}

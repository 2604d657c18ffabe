import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const DIST = join(import.meta.dirname, '../../dist');
/** The name of a class that every copy of zod defines. */
const ZOD = /\$ZodType\b/;

describe('the built files of connectors', () => {
  const files = readdirSync(DIST).filter((name) => /^connector-\w+\.js$/.test(name));

  test('exist, and the program contains a copy of zod', () => {
    assert.ok(files.length >= 3);
    assert.match(readFileSync(join(DIST, 'program.js'), 'utf8'), ZOD);
  });

  for (const file of files) {
    test(`${file} contains no copy of zod, and imports shared modules from the program`, async () => {
      const code = readFileSync(join(DIST, file), 'utf8');

      assert.doesNotMatch(code, ZOD);
      assert.match(code, /from"\.\/program\.js"/);
      // Fails if the program does not export what the file imports.
      const exported = await import(pathToFileURL(join(DIST, file)).href);
      assert.equal(typeof (exported.openConnection ?? exported.imap?.connect), 'function');
    });
  }
});

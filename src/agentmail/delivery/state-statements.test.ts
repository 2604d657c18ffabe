import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, test } from 'node:test';
import { temporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { statementsFrom } from './state-schema.ts';

const VALUES: Record<string, string> = {
  table: 'letters',
  columns: 'stored_at',
  newest: 'order by stored_at desc, rowid desc limit ?',
};

/** The statements in the code, with names in place of what it inserts. */
function statements(): string[] {
  return ['delivery-state.ts', 'letter-states.ts'].flatMap((file) => {
    const code = readFileSync(join(import.meta.dirname, file), 'utf8');
    const found = code.matchAll(
      /(?:'((?:select|update|delete|insert) [^']+)'|`((?:select|update|delete|insert) [^`]+)`)/g,
    );
    return [...found].map(([, quoted, template = '']) =>
      (quoted ?? template).replace(/\$\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? '1'),
    );
  });
}

describe('a statement on the delivery state', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(statementsFrom(0));

  test('is found in the code', () => {
    assert.ok(statements().length > 25);
  });

  for (const sql of statements()) {
    test(`reads a key, or rows in the order of an index up to a limit: ${sql.replace(/\s+/g, ' ').slice(0, 90)}`, () => {
      const plan = database.prepare(`explain query plan ${sql}`).all() as unknown as { detail: string }[];

      const details = plan.map(({ detail }) => detail);
      assert.deepEqual(
        details.filter((detail) => detail.includes('TEMP B-TREE')),
        [],
      );
      if (/^(select)/.test(sql) && !/ limit (\?|\d+)/.test(sql))
        assert.match(details.join(), /SEARCH .* USING (INTEGER PRIMARY KEY|INDEX sqlite_autoindex)/);
      if (!/^(select|insert)/.test(sql))
        assert.match(details.join(), /SEARCH .* USING (INTEGER PRIMARY KEY|INDEX sqlite_autoindex)/);
    });
  }
});

test('the schema fits into one page with room for another table, because a larger one is never opened', () => {
  const folder = temporaryFolder(after);
  const path = join(folder, 'side.db');
  const database = new DatabaseSync(path);
  database.exec(
    `${statementsFrom(0)} create table another(first_column integer not null, second_column integer not null, third_column text)`,
  );
  database.close();

  const page = readFileSync(path);

  assert.equal(page[100], 13);
});

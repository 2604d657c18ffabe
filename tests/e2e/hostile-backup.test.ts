import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, test } from 'node:test';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** Each adds something to a backup that Switchboard did not make. */
const ADDITIONS: readonly { attack: string; sql: string; named: RegExp }[] = [
  {
    attack: 'a trigger that approves held messages',
    sql: `create trigger let_out after insert on audit begin update outbox set state = 'queued' where state = 'held'; end`,
    named: /trigger .*"let_out"/,
  },
  {
    attack: 'a view that never ends',
    sql: 'create view endless as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n',
    named: /view .*"endless"/,
  },
  {
    attack: 'an index with an expression',
    sql: 'create index slow on audit (length(hex(zeroblob(1000))))',
    named: /index "slow" was not made by Switchboard/,
  },
  {
    attack: 'a table of another program',
    sql: 'create table "notes\n\u001b[2J" (x)',
    named: /table "notes\\n\\u001b\[2J" was not made by Switchboard/,
  },
  {
    attack: 'a computed column in one of our tables',
    sql: 'alter table audit add column extra text as (upper(operation))',
    named: /table audit is not as Switchboard makes it/,
  },
];

describe('a backup from elsewhere', () => {
  const home = join(temporaryFolder(after), 'home');
  const copy = join(home, 'copy.db');
  // Without a daemon, no process owns the home between the commands.
  const env = { SWITCHBOARD_DAEMON__AUTOSTART: 'false' };
  const cli = (...args: string[]) => runProgram([...args, '--json'], { home, env });

  before(async () => {
    assert.equal((await cli('token', 'add', 'one', '--scopes', 'chat:read')).code, 0);
    assert.equal((await cli('db', 'backup', copy)).code, 0);
  });

  function changedCopy(sql: string): string {
    const path = join(home, 'changed.db');
    copyFileSync(copy, path);
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
    return path;
  }

  for (const { attack, sql, named } of ADDITIONS) {
    test(`with ${attack} is refused by restore and named`, async () => {
      const refused = await cli('db', 'restore', changedCopy(sql));

      assert.equal(refused.code, 1);
      const { error } = JSON.parse(refused.stderr);
      assert.equal(error.code, 'CONFLICT');
      assert.match(error.message, named);
      assert.equal((await cli('db', 'check')).code, 0);
    });

    test(`with ${attack} in place of the store is named by db check and doctor`, async () => {
      const other = join(temporaryFolder(after), 'home');
      const there = (...args: string[]) => runProgram([...args, '--json'], { home: other, env });
      assert.equal((await there('token', 'list')).code, 0);
      copyFileSync(changedCopy(sql), join(other, 'switchboard.db'));

      const [checked, examined] = [await there('db', 'check'), await there('doctor')];

      assert.equal(checked.code, 1);
      assert.match(JSON.parse(checked.stderr).error.message, named);
      const { checks } = JSON.parse(examined.stdout) as { checks: { check: string; says: string }[] };
      assert.match(checks.find(({ check }) => check === 'store')?.says ?? '', named);
    });
  }

  test('without a change is restored', async () => {
    assert.equal((await cli('db', 'restore', copy)).code, 0);
    assert.equal((await cli('db', 'check')).code, 0);
  });
});

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { silentLog } from '../../../tests/support/operation-context.ts';
import { openDatabase } from '../../../tests/support/store/open-store.ts';
import { AppError } from '../../domain/errors.ts';
import { systemClock } from '../../lib/clock.ts';
import type { AuditEntry } from '../../system/ports.ts';
import { createAuditLog } from './audit.ts';
import type { Database } from './database.ts';

const read: AuditEntry = {
  at: 1,
  principal: 'local',
  door: 'mcp',
  operation: 'status',
  effect: 'reads',
  durationMs: 1,
  result: 'ok',
};
const send: AuditEntry = { ...read, operation: 'send', effect: 'sends' };

describe('the audit log', () => {
  test('writes reads in batches, a quarter of a second later', async (t) => {
    const { db, audit } = await start(t);

    await audit.append(read);
    await audit.append(read);
    const before = await rows(db);
    t.mock.timers.tick(250);
    const after = await rows(db);

    assert.deepEqual([before, after], [[], ['status', 'status']]);
  });

  test('writes a full batch without waiting', async (t) => {
    const { db, audit } = await start(t);

    for (let n = 0; n < 499; n++) await audit.append(read);
    const before = await rows(db);
    await audit.append(read);
    const after = await rows(db);

    assert.deepEqual([before.length, after.length], [0, 500]);
  });

  test('waits for the disk for entries of changes only', async (t) => {
    const { audit, writes } = await start(t);

    await audit.append(read);
    t.mock.timers.tick(250);
    await settled();
    await audit.append(send);

    assert.deepEqual(writes, [{ durable: false }, { durable: true }]);
  });

  test('writes entries of changes immediately, after the reads before them', async (t) => {
    const { db, audit } = await start(t);

    await audit.append(read);
    await audit.append(send);

    assert.deepEqual(await rows(db), ['status', 'send']);
  });

  test('never fails a read when the store does, warns once, and writes the entry later', async (t) => {
    const { db, audit, warnings, setTrouble } = await start(t);
    setTrouble(true);

    await audit.append(read);
    t.mock.timers.tick(250);
    await settled();
    t.mock.timers.tick(5_000);
    await settled();
    const during = await rows(db);
    setTrouble(false);
    t.mock.timers.tick(5_000);
    await settled();

    assert.deepEqual([during, await rows(db)], [[], ['status']]);
    assert.equal(warnings.length, 1);
  });

  test('fails a change when its entry cannot be written, and keeps the entries of reads for later', async (t) => {
    const { db, audit, setTrouble } = await start(t);
    setTrouble(true);
    await audit.append(read);

    await assert.rejects(audit.append(send), AppError);
    setTrouble(false);
    await audit.flush();

    assert.deepEqual(await rows(db), ['status']);
  });

  test('keeps only the newest entries when it cannot write for very long', async (t) => {
    const { db, audit, setTrouble } = await start(t);
    setTrouble(true);
    for (let n = 0; n < 10_005; n++) await audit.append({ ...read, operation: `call ${n}` });

    setTrouble(false);
    await audit.flush();

    const written = await rows(db);
    assert.deepEqual([written.length, written[0]], [10_000, 'call 5']);
  });
});

async function start(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const real = await openDatabase({ location: ':memory:', clock: systemClock });
  t.after(() => real.close());
  let trouble = false;
  const writes: unknown[] = [];
  const db: Database = {
    ...real,
    write(body, options) {
      writes.push(options);
      return trouble ? Promise.reject(new AppError('SERVICE_UNAVAILABLE', 'full')) : real.write(body, options);
    },
  };
  const warnings: string[] = [];
  const audit = createAuditLog(db, { ...silentLog, warn: (_, message) => warnings.push(message) });
  return {
    db,
    audit,
    warnings,
    writes,
    setTrouble: (value: boolean) => {
      trouble = value;
    },
  };
}

async function rows(db: Database): Promise<string[]> {
  await settled();
  const found = await db.read((reader) =>
    reader.all<{ operation: string }>('select operation from audit order by position'),
  );
  return found.map(({ operation }) => operation);
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

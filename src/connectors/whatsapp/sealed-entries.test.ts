import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { openSealedEntries } from './sealed-entries.ts';

const key = randomBytes(32);

function memoryOf(rows: Map<string, string>) {
  return {
    get: async (name: string) => rows.get(name),
    set: async (name: string, value: string) => void rows.set(name, value),
  };
}

function open(rows: Map<string, string>, with_ = key) {
  return openSealedEntries({ memory: memoryOf(rows), key: with_, onFailure: () => {} });
}

describe('sealed entries', () => {
  test('what was flushed is there after a restart at any time, whatever was changed and deleted before', async () => {
    const changes = fc.array(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.string(), { nil: undefined })), {
        minLength: 1,
        maxLength: 3,
      }),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const rows = new Map<string, string>();
        const entries = await open(rows);
        const expected = new Map<string, string>();
        for (const step of steps) {
          entries.change(step);
          await entries.flush();
          for (const [name, value] of step) value === undefined ? expected.delete(name) : expected.set(name, value);
        }

        const again = await open(rows);

        assert.deepEqual(new Map(again.under('')), expected);
      }),
      { numRuns: 30 },
    );
  });

  test('changes of one call are stored in one row, and nothing is readable in it', async () => {
    const rows = new Map<string, string>();
    const entries = await open(rows);

    entries.change([
      ['session:1', 'ratchet'],
      ['plaintext:1', 'a secret text'],
    ]);
    await entries.flush();

    assert.equal(rows.size, 1);
    assert.doesNotMatch([...rows.values()].join(), /ratchet|secret/);
  });

  test('rows of another link are ignored; a changed row is reported', async () => {
    const rows = new Map<string, string>();
    const entries = await open(rows);
    entries.change([['a', '1']]);
    await entries.flush();
    const [name = '', row = ''] = [...rows][0] ?? [];

    assert.equal((await open(rows, randomBytes(32))).get('a'), undefined);
    rows.set(name, `${row.slice(0, -8)}AAAAAAA=`);
    await assert.rejects(open(rows), /The stored state of WhatsApp is damaged/);
  });

  test('changes while a row is written are in the next one, and a flush waits for them', async () => {
    const rows = new Map<string, string>();
    const entries = await open(rows);

    entries.change([['a', '1']]);
    const first = entries.flush();
    await Promise.resolve();
    entries.change([['a', '2']]);
    await Promise.all([first, entries.flush()]);

    assert.equal((await open(rows)).get('a'), '2');
  });
});

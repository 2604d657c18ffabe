import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWith } from '../../../tests/support/operation-context.ts';
import type { AuditFilter } from '../ports.ts';
import { listAudit } from './list-audit.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

function listing() {
  const asked: AuditFilter[] = [];
  const audit = {
    list: async (filter: AuditFilter) => {
      asked.push(filter);
      return [];
    },
    find: async () => undefined,
    listen: async () => () => {},
  };
  const list = (input: object) =>
    listAudit.run(listAudit.input.parse(input), contextWith({ audit, clock: { now: () => NOW } }));
  return { list, asked };
}

test('the audit log takes the times that chats take', async () => {
  const { list, asked } = listing();

  await list({ since: '24h', until: 'today' });

  const [{ since, until } = {}] = asked;
  assert.deepEqual([since, until], [NOW - 86_400_000, Date.parse('2026-11-17')]);
});

test('another time is refused with those that are valid', async () => {
  const { list } = listing();

  await assert.rejects(list({ since: 'bogus' }), {
    code: 'VALIDATION_ERROR',
    field: 'since',
    message: /^since must be a time: 45s/,
  });
});

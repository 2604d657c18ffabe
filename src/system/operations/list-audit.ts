import { z } from 'zod';
import { operation } from '../../operation.ts';
import {
  AuditId,
  type AuditParts,
  AuditView,
  auditFilter,
  auditList,
  toAuditFilter,
  toAuditLine,
  toAuditView,
} from '../audit-view.ts';

export const listAudit = operation({
  cli: {
    path: 'audit list',
    letters: { n: 'limit' },
    examples: [
      'switchboard audit list',
      'switchboard audit list --result refused --since 24h',
      "switchboard audit list --effect sends --chat '#ops'",
    ],
    list: auditList,
  },
  rest: { method: 'GET', path: '/audit' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Who read, wrote and sent what, when and through which door, and what was refused; newest first.',
  input: z.strictObject({
    ...auditFilter,
    limit: z.int().min(1).max(1_000).default(100).describe('Maximum number.'),
    cursor: AuditId.optional().describe('next_cursor of an earlier answer.'),
  }),
  output: z.object({ entries: z.array(AuditView), next_cursor: z.string().optional() }),
  async run({ limit, cursor, ...filter }, { audit, clock }: AuditParts) {
    const before = cursor === undefined ? {} : { before: Number(cursor) };
    const entries = await audit.list({ ...toAuditFilter(filter, clock), ...before, limit });
    const last = entries.length < limit ? undefined : entries.at(-1);
    return {
      entries: entries.map(toAuditView),
      ...(last === undefined ? {} : { next_cursor: String(last.position) }),
    };
  },
  render: ({ entries }) => entries.map(toAuditLine).join('\n') || 'No entry matches.',
});

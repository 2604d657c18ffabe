import { z } from 'zod';
import { operation } from '../../operation.ts';
import { AuditId, type AuditParts, AuditView, auditNotFound, toAuditLine, toAuditView } from '../audit-view.ts';

export const showAudit = operation({
  cli: { path: 'audit show', positionals: ['id'] },
  rest: { method: 'GET', path: '/audit/:id' },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'One entry of the audit log.',
  input: z.strictObject({ id: AuditId.describe('Id of the entry, from `audit list`.') }),
  output: AuditView,
  async run({ id }, { audit }: AuditParts) {
    const entry = await audit.find(Number(id));
    if (!entry) throw auditNotFound();
    return toAuditView(entry);
  },
  render: toAuditLine,
});

import { z } from 'zod';
import { createWakeup } from '../../lib/wakeup.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { type AuditParts, AuditView, auditFilter, auditList, toAuditFilter, toAuditView } from '../audit-view.ts';
import type { AuditFilter } from '../ports.ts';

/** Another process may write to the store without this one being notified. */
const LOOK_MS = 5_000;
const MAX_ENTRIES = 500;

export const tailAudit = operation({
  cli: {
    path: 'audit tail',
    letters: { n: 'limit' },
    omit: ['after'],
    examples: ['switchboard audit tail', 'switchboard audit tail --result refused'],
    list: { ...auditList, newestLast: true },
  },
  kind: 'query',
  effect: 'reads',
  right: 'manage',
  description: 'Shows the newest entries of the audit log, and new ones until it is interrupted.',
  input: z.strictObject({
    ...auditFilter,
    limit: z.int().min(1).max(MAX_ENTRIES).default(10).describe('Number of entries to begin with.'),
    after: z.int().min(0).optional(),
  }),
  output: z.object({ entries: z.array(AuditView), position: z.int() }),
  run: ({ limit, after, ...filter }, { audit, clock }: AuditParts) =>
    page(audit, toAuditFilter(filter, clock), { limit }, after ?? 0),
  follow: {
    isWanted: () => true,
    stream: ({ limit, after, ...filter }, context: OperationContext & AuditParts) =>
      follow(toAuditFilter(filter, context.clock), { limit, after }, context),
    resume: (input, { position }) => ({ ...input, after: position }),
  },
});

type Audit = AuditParts['audit'];

async function* follow(
  filter: AuditFilter,
  { limit, after }: { limit: number; after: number | undefined },
  { audit, signal }: OperationContext & AuditParts,
) {
  const wakeup = createWakeup();
  const stopListening = await audit.listen(wakeup.wake);
  signal.addEventListener('abort', wakeup.wake);
  try {
    let position = after;
    if (position === undefined) {
      const first = await page(audit, filter, { limit }, 0);
      position = first.position;
      yield first;
    }
    while (!signal.aborted) {
      const next = await page(audit, filter, { after: position, limit: MAX_ENTRIES }, position);
      position = next.position;
      if (next.entries.length > 0) yield next;
      else await wakeup.wait(LOOK_MS);
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', wakeup.wake);
  }
}

/** Newest first. */
async function page(audit: Audit, filter: AuditFilter, part: { limit: number; after?: number }, before: number) {
  const entries = await audit.list({ ...filter, ...part });
  return { entries: entries.map(toAuditView), position: entries[0]?.position ?? before };
}

import type { Retention } from '../capability.ts';
import type { OutboxStore, ReadStore } from './ports.ts';
import type { OutboxSettings } from './settings.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How long idempotency keys are remembered, beyond the content of what was sent. */
const KEEP_KEYS_MS = 365 * DAY;

export function outboxRetention(
  outbox: Pick<OutboxStore, 'forget'>,
  settings: () => Promise<OutboxSettings>,
): Retention {
  return {
    what: 'outbox',
    async forget(now) {
      const { policy } = await settings();
      const content = now - policy.keep_sent_days * DAY;
      const { emptied, gone } = await outbox.forget({ content, rows: content - KEEP_KEYS_MS });
      return emptied + gone;
    },
  };
}

/** A session that has done nothing for so long has ended; its next reads count again. */
const KEEP_READS_MS = 365 * DAY;

export function readsRetention(reads: Pick<ReadStore, 'forget'>): Retention {
  return { what: 'reads of sessions', forget: (now) => reads.forget(now - KEEP_READS_MS) };
}

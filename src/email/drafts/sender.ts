import type { OutboxSender } from '../../domain/outbox.ts';
import { once } from '../../lib/once.ts';
import type { WritingParts } from './parts.ts';
import { describePayload, EMAIL, readPayload } from './payload.ts';

/** The whole text is in it. */
const MAX_PAYLOAD_BYTES = 4 * 1024 * 1024;

/** The sender of emails in the outbox. What sends them is loaded when there is something to send. */
export function emailSender(parts: WritingParts, access: Pick<OutboxSender, 'policyOf' | 'mayRead'>): OutboxSender {
  const attempts = once(async () => (await import('./send-draft.ts')).createAttempts(parts));
  return {
    ...access,
    kind: EMAIL,
    describe: describePayload,
    answers: (item) => readPayload(item)?.answers,
    maxPayloadBytes: MAX_PAYLOAD_BYTES,
    send: async (item) => (await attempts()).send(item),
    look: async (item) => (await attempts()).look(item),
  };
}

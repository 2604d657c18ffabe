import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../domain/errors.ts';
import { hasNoContent, type OutboxItem, type OutboxPort, type OutboxSubmission } from '../domain/outbox.ts';
import type { PolicyCheck } from './policy-check.ts';
import type { OutboxStore, WaitForAttempt } from './ports.ts';
import type { Senders } from './senders.ts';

export interface SubmitParts {
  outbox: Pick<OutboxStore, 'add'>;
  senders: Senders;
  checkPolicy: PolicyCheck;
  waitForAttempt: WaitForAttempt;
}

const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Held and queued items of one principal. */
const MAX_WAITING = 1_000;
const MAX_SUMMARY_LENGTH = 200;

/** The entry of the outbox, the same for every sender. */
export function createSubmit({ outbox, senders, checkPolicy, waitForAttempt }: SubmitParts): OutboxPort['submit'] {
  return async (submission, { principal, signal }) => {
    const { recipientField, idempotencyKey, ...content } = submission;
    checkSize(submission, senders.get(submission.sender)?.maxPayloadBytes);
    const verdict = await checkPolicy(submission, principal);
    if (verdict.kind === 'deny') throw new AppError('FORBIDDEN', verdict.reason, { field: recipientField });
    const item = await waitForAttempt(
      () =>
        outbox.add(
          {
            ...content,
            summary: shorten(submission.summary),
            principal: principal.name,
            ...(verdict.kind === 'hold' ? { state: 'held', reason: verdict.reason } : { state: 'queued' }),
            // An empty key is none: otherwise all messages with an empty key would be the same one.
            ...(idempotencyKey ? { idempotencyKey } : {}),
          },
          { maxWaiting: MAX_WAITING },
        ),
      signal,
    );
    checkSameContent(item, submission);
    return item;
  };
}

function checkSize({ payload }: OutboxSubmission, maxBytes = MAX_PAYLOAD_BYTES): void {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= maxBytes) return;
  throw new AppError('TOO_LARGE', `This is too large to send: ${bytes} bytes, at most ${maxBytes} are possible.`);
}

/** Reusing a key for another message is an error: its caller would take the earlier message for it. */
function checkSameContent(item: OutboxItem, { payload, recipients }: OutboxSubmission): void {
  if (item.idempotencyKey === undefined || hasNoContent(item)) return;
  const idsOf = (list: OutboxItem['recipients']) => list.map(({ id }) => id);
  if (isDeepStrictEqual(item.payload, payload) && isDeepStrictEqual(idsOf(item.recipients), idsOf(recipients))) return;
  throw new AppError('CONFLICT', 'This idempotency key was used for another message. Nothing was sent.', {
    field: 'idempotency_key',
  });
}

function shorten(text: string): string {
  if (text.length <= MAX_SUMMARY_LENGTH) return text;
  return `${text.slice(0, MAX_SUMMARY_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

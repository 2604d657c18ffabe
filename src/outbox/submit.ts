import { AppError } from '../domain/errors.ts';
import { hasNoContent, type OutboxItem, type OutboxPort, type OutboxSubmission } from '../domain/outbox.ts';
import type { Verdict } from '../domain/policy.ts';
import { answerableIdentity } from '../domain/principal.ts';
import type { AskInClient } from './ask-in-client.ts';
import type { PolicyCheck } from './policy-check.ts';
import type { NewOutboxItem, OutboxStore, WaitForAttempt } from './ports.ts';
import { isSameMessage } from './same-message.ts';
import type { Senders } from './senders.ts';
import type { SessionReads } from './session-reads.ts';

export interface SubmitParts {
  outbox: Pick<OutboxStore, 'add'>;
  senders: Senders;
  checkPolicy: PolicyCheck;
  waitForAttempt: WaitForAttempt;
  reads: Pick<SessionReads, 'submitting' | 'keyOf'>;
  askInClient: AskInClient;
}

const MAX_PAYLOAD_BYTES = 1024 * 1024;
/** Held and queued items of one principal. */
const MAX_WAITING = 1_000;
const MAX_SUMMARY_LENGTH = 200;

/** The entry of the outbox, the same for every sender. */
export function createSubmit({
  outbox,
  senders,
  checkPolicy,
  waitForAttempt,
  reads,
  askInClient,
}: SubmitParts): OutboxPort['submit'] {
  return async (submission, caller) => {
    const { principal, signal } = caller;
    const { recipientField, idempotencyKey, ...content } = submission;
    checkSize(submission, senders.get(submission.sender)?.maxPayloadBytes);
    const answered = await askInClient.answered(submission, caller);
    if (answered) return answered;
    const session = await reads.keyOf(caller);
    const reader = { identity: answerableIdentity(principal), ...(session === undefined ? {} : { session }) };
    const verdict = await checkPolicy({ ...submission, ...reader }, principal);
    if (verdict.kind === 'deny') throw new AppError('FORBIDDEN', verdict.reason, { field: recipientField });
    const item = await waitForAttempt(
      () =>
        reads.submitting(reader, () =>
          outbox.add(
            {
              ...content,
              summary: shorten(submission.summary),
              principal: principal.name,
              ...reader,
              ...stateAfter(verdict),
              // An empty key is none: otherwise all messages with an empty key would be the same one.
              ...(idempotencyKey ? { idempotencyKey } : {}),
            },
            { maxWaiting: MAX_WAITING },
          ),
        ),
      signal,
    );
    checkSameContent(item, submission);
    await askInClient.ask(item, caller);
    return item;
  };
}

function stateAfter(
  verdict: Exclude<Verdict, { kind: 'deny' }>,
): Pick<NewOutboxItem, 'state' | 'reason' | 'heldBecause'> {
  if (verdict.kind === 'allow') return { state: 'queued' };
  const { reason, because } = verdict;
  return { state: 'held', reason, ...(because ? { heldBecause: because } : {}) };
}

function checkSize({ payload }: OutboxSubmission, maxBytes = MAX_PAYLOAD_BYTES): void {
  const bytes = Buffer.byteLength(JSON.stringify(payload));
  if (bytes <= maxBytes) return;
  throw new AppError('TOO_LARGE', `This is too large to send: ${bytes} bytes, at most ${maxBytes} are possible.`);
}

/** Reusing a key for another message is an error: its caller would take the earlier message for it. */
function checkSameContent(item: OutboxItem, submission: OutboxSubmission): void {
  if (item.idempotencyKey === undefined || hasNoContent(item) || isSameMessage(item, submission)) return;
  throw new AppError('CONFLICT', 'This idempotency key was used for another message. Nothing was sent.', {
    field: 'idempotency_key',
  });
}

function shorten(text: string): string {
  if (text.length <= MAX_SUMMARY_LENGTH) return text;
  return `${text.slice(0, MAX_SUMMARY_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}

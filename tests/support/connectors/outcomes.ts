import assert from 'node:assert/strict';
import type {
  CursorLost,
  HistoryPage,
  LookOutcome,
  NotSent,
  SendOutcome,
  Sent,
} from '../../../src/connectors/connector.ts';

/** Asserts that a message was sent. */
export function sentAs(outcome: SendOutcome | LookOutcome | undefined): Sent {
  assert.ok(outcome?.kind === 'sent', `it was not sent: ${JSON.stringify(outcome)}`);
  return outcome;
}

/** Asserts that a message was not sent. */
export function notSent(outcome: SendOutcome | undefined): NotSent {
  assert.ok(outcome?.kind === 'not-sent', `it may have been sent: ${JSON.stringify(outcome)}`);
  return outcome;
}

export function pageIn(answer: HistoryPage | CursorLost | undefined): HistoryPage {
  assert.ok(answer?.kind === 'page', 'there is no page of history');
  return answer;
}

/** Asserts that a connection was rejected; returns the reason. */
export function rejectionOf(ended: unknown): string {
  const { kind, reason } = (ended ?? {}) as { kind?: unknown; reason?: unknown };
  assert.equal(kind, 'rejected', `it ended in another way: ${String(ended)}`);
  return String(reason);
}

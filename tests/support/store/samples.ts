import assert from 'node:assert/strict';
import { AppError, type ErrorCode } from '../../../src/domain/errors.ts';
import type { NewEvent, StoredEvent } from '../../../src/domain/event-log.ts';
import type { SessionId } from '../../../src/domain/ids.ts';
import { decide, evolve, type Session, type SessionCommand, type SessionEvent } from '../../../src/domain/session.ts';
import type { NewOutboxItem } from '../../../src/outbox/ports.ts';
import type { AuditEntry } from '../../../src/system/ports.ts';
import type { Store } from './open-store.ts';

export function outgoing(facts: Partial<NewOutboxItem>): NewOutboxItem {
  return {
    sender: 'chat',
    through: 'irc',
    recipients: [{ id: '#dev', name: 'Dev' }],
    summary: 'hello',
    payload: { text: 'hello' },
    principal: 'local',
    state: 'queued',
    ...facts,
  };
}

export function newSession(id: string): { session: Session; events: SessionEvent[] } {
  return follow(undefined, {
    kind: 'create',
    id: id as SessionId,
    principal: 'local',
    transport: 'http',
    only: [],
    at: 1,
  });
}

export function coded(code: ErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}

export function follow(
  start: Session | undefined,
  ...commands: SessionCommand[]
): { session: Session; events: SessionEvent[] } {
  const events: SessionEvent[] = [];
  let session = start;
  for (const command of commands) {
    for (const event of decide(session, command)) {
      session = evolve(session, event);
      events.push(event);
    }
  }
  assert.ok(session);
  return { session, events };
}

export async function saveNew(store: Store, id: string): Promise<{ session: Session }> {
  const { session, events } = newSession(id);
  await store.sessions.save(session, events);
  return { session };
}

export function event(type: string, n: number): NewEvent {
  return { type, subject: 'thing', data: { n } };
}

export function audited(operation: string, effect: AuditEntry['effect']): AuditEntry {
  return { at: 1_000, principal: 'local', door: 'cli', operation, effect, durationMs: 1.5, result: 'ok' };
}

export function ids(items: readonly { id: string }[]): string[] {
  return items.map(({ id }) => id);
}

export function numbers(events: readonly StoredEvent[]): number[] {
  return events.map(({ number }) => number);
}

export function types(events: readonly StoredEvent[]): string[] {
  return events.map(({ type }) => type);
}

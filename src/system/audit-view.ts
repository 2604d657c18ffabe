import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { TIME_FORMS, timestampOf } from '../domain/time-expression.ts';
import type { Clock } from '../lib/clock.ts';
import { visible } from '../lib/visible.ts';
import type { CliList } from '../operation.ts';
import type { AuditFilter, AuditLog, StoredAuditEntry } from './ports.ts';

export interface AuditParts {
  audit: Pick<AuditLog, 'list' | 'find' | 'listen'>;
  clock: Clock;
}

/** One call, or a refusal at a door, as callers see it. */
export const AuditView = z.object({
  id: z.string(),
  at: z.string(),
  principal: z.string(),
  identity: z.string().optional(),
  door: z.string(),
  session: z.string().optional(),
  operation: z.string(),
  effect: z.enum(['reads', 'writes', 'sends', 'destroys']),
  object: z.record(z.string(), z.string()).optional(),
  result: z.string(),
  reason: z.string().optional(),
  duration_ms: z.number(),
});

type AuditView = z.output<typeof AuditView>;

const Timestamp = (what: string) =>
  z.string().optional().describe(`${what}: 7d, 24h, yesterday, 2026-11-17, 2026-11-17T08:00:00Z.`);

/** Filters of the commands that list. */
export const auditFilter = {
  principal: z.string().max(200).optional().describe('Name of the token; `local` for the local user.'),
  operation: z.string().max(200).optional().describe('Operation, such as `chat send`.'),
  effect: AuditView.shape.effect.optional().describe('Only calls with this effect.'),
  result: z.enum(['ok', 'refused', 'failed']).optional().describe('Only calls with this result.'),
  chat: z.string().max(1_000).optional().describe('Only calls that name this chat.'),
  since: Timestamp('At or after'),
  until: Timestamp('Before'),
};

type GivenFilter = z.output<z.ZodObject<typeof auditFilter>>;

export function toAuditFilter({ since, until, ...given }: GivenFilter, clock: Clock): AuditFilter {
  const now = clock.now();
  const set = Object.entries(given).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(set),
    ...(since === undefined ? {} : { since: timeOf(since, 'since', now) }),
    ...(until === undefined ? {} : { until: timeOf(until, 'until', now) }),
  };
}

function timeOf(text: string, field: string, now: number): number {
  const time = timestampOf(text, now);
  if (time !== undefined) return time;
  throw new AppError('VALIDATION_ERROR', `${field} must be ${TIME_FORMS}`, { field });
}

export function toAuditView({ position, at, durationMs, ...entry }: StoredAuditEntry): AuditView {
  return { id: String(position), at: new Date(at).toISOString(), ...entry, duration_ms: durationMs };
}

/** The number of an entry. */
export const AuditId = z.string().regex(/^\d{1,15}$/, 'must be the id of an entry');

export function auditNotFound(): AppError {
  return new AppError('NOT_FOUND', 'There is no such entry in the audit log.', {
    field: 'id',
    hint: '`switchboard audit list` shows the newest ones.',
  });
}

export const auditList: CliList<AuditView> = {
  key: 'entries',
  columns: ['id', 'at', 'principal', 'door', 'operation', 'object', 'result', 'reason'],
  row: (entry) => ({ ...entry, object: namedBy(entry) }),
  line: toAuditLine,
};

export function toAuditLine(entry: AuditView): string {
  const { id, at, principal, door, operation, effect, result, reason } = entry;
  const named = namedBy(entry);
  const why = reason === undefined ? '' : ` ${visible(reason)}`;
  return `${at} ${visible(principal)} (${door}) ${effect}: ${visible(operation)}${named && ` ${named}`} → ${result}.${why} (id ${id})`;
}

function namedBy({ object = {} }: AuditView): string {
  return Object.entries(object)
    .map(([name, value]) => `${name}=${/^[\w#&+@.!:/*%-]+$/u.test(value) ? value : visible(JSON.stringify(value))}`)
    .join(' ');
}

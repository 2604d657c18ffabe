import { AppError } from '../../../domain/errors.ts';
import { newId, type OutboxId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import { decide, evolve, type OutboxCommand, type OutboxItem } from '../../../domain/outbox.ts';
import type { ReadChat } from '../../../domain/read-chats.ts';
import { randomHex } from '../../../lib/chance.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { NewOutboxItem, OutboxFilter, OutboxStore, SendingSlot } from '../../../outbox/ports.ts';
import type { Database, Reader, Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { toEventType } from '../event-type.ts';
import { forgetFinished } from './retention.ts';

const DEFAULT_LIMIT = 1_000;

interface OutboxRow {
  id: OutboxId;
  kind: string;
  source: string;
  lane: string | null;
  principal: string;
  idempotency_key: string | null;
  recipients: string;
  summary: string;
  payload: string;
  state: OutboxItem['state'];
  attempts: number;
  created_at: number;
  changed_at: number;
  due_at: number;
  external_id: string | null;
  reason: string | null;
  identity: string | null;
  session: string | null;
  approved_by: string | null;
  held_because: string | null;
}

export function createOutboxStore(db: Database, clock: Clock): OutboxStore {
  return {
    add: (item, { maxWaiting } = {}) =>
      db.write((tx) => {
        const known = withSameKey(tx, item);
        if (known) return known;
        if (maxWaiting !== undefined) checkWaiting(tx, item, maxWaiting);
        return insert(tx, item, clock.now());
      }),
    take: (senders, busy = []) =>
      db.write((tx) => {
        const now = clock.now();
        const item = oldestDue(tx, senders, busy, now);
        return item && apply(tx, item, { kind: 'take' }, now);
      }),
    nextDue: (senders, busy = []) =>
      db.read((reader) => {
        const sql = `select min(due_at) as due from outbox o where ${CAN_BE_TAKEN}`;
        return reader.get<{ due: number | null }>(sql, JSON.stringify(senders), JSON.stringify(busy))?.due ?? undefined;
      }),
    makeDue: (through) =>
      db.write((tx) => {
        const now = clock.now();
        return tx.run(
          `update outbox set due_at = ? where state = 'queued' and source = ? and due_at > ?`,
          now,
          through,
          now,
        );
      }),
    change: (id, command) =>
      db.write((tx) => {
        const item = byId(tx, id);
        if (!item) throw new AppError('NOT_FOUND', 'There is no such item in the outbox.', { field: 'id' });
        return apply(tx, item, command, clock.now());
      }),
    find: (id) => db.read((reader) => byId(reader, id)),
    list: (filter = {}) => db.read((reader) => list(reader, filter)),
    recover: () =>
      db.write((tx) => {
        const interrupted = tx.all<OutboxRow>(`select * from outbox where state = 'sending' order by position`);
        const command = { kind: 'lose-track', reason: 'Switchboard ended while this was being sent.' } as const;
        return interrupted.map((row) => apply(tx, toItem(row), command, clock.now()));
      }),
    forget: (before) => forgetFinished(db, before),
  };
}

function withSameKey(
  tx: Transaction,
  { principal, identity, sender, through, idempotencyKey }: NewOutboxItem,
): OutboxItem | undefined {
  if (idempotencyKey === undefined) return undefined;
  // Rows of earlier versions have the key alone, and belong to the name.
  const row = tx.get<OutboxRow>(
    `select * from outbox where principal = ? and kind = ? and source = ? and idempotency_key in (?, ?)
     and coalesce(identity, ?) is ?`,
    principal,
    sender,
    through,
    ownKey(idempotencyKey, identity),
    idempotencyKey,
    identity ?? null,
    identity ?? null,
  );
  return row && toItem(row);
}

/** Another token may have the name of the principal later: its keys are different ones. */
function ownKey(key: string, identity: string | undefined): string {
  return identity === undefined ? key : `${key}${suffixOf(identity)}`;
}

function keyIn(stored: string, identity: string | null): string {
  const suffix = identity === null ? '' : suffixOf(identity);
  return stored.endsWith(suffix) ? stored.slice(0, stored.length - suffix.length) : stored;
}

function suffixOf(identity: string): string {
  return `\n${identity}`;
}

function checkWaiting(tx: Transaction, { principal, identity }: NewOutboxItem, max: number): void {
  const { count } = tx.get<{ count: number }>(
    `select count(*) as count from outbox where state in ('held', 'queued') and coalesce(identity, principal) = ?`,
    identity ?? principal,
  ) ?? { count: 0 };
  if (count < max) return;
  throw new AppError('BUSY', `${principal} has ${count} items in the outbox that were not sent yet.`, {
    hint: 'Wait until they are sent, or approve or discard them: `switchboard outbox list`.',
  });
}

function insert(tx: Transaction, added: NewOutboxItem, now: number): OutboxItem {
  const { dueAt = now, ...facts } = added;
  const item: OutboxItem = { ...facts, id: newId(now, randomHex), attempts: 0, createdAt: now, changedAt: now, dueAt };
  tx.run(
    `insert into outbox (id, kind, source, lane, principal, idempotency_key, recipients, summary, payload, created_at,
       identity, session, state, attempts, changed_at, due_at, external_id, reason, approved_by, held_because)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    item.id,
    item.sender,
    item.through,
    item.lane ?? null,
    item.principal,
    item.idempotencyKey === undefined ? null : ownKey(item.idempotencyKey, item.identity),
    JSON.stringify(item.recipients),
    item.summary,
    JSON.stringify(item.payload),
    item.createdAt,
    item.identity ?? null,
    item.session ?? null,
    ...changeable(item),
  );
  log(tx, item, 'OutboxAdded', now);
  return item;
}

function apply(tx: Transaction, item: OutboxItem, command: OutboxCommand, now: number): OutboxItem {
  return decide(item, command, now).reduce((before, event) => {
    const after = evolve(before, event, now);
    tx.run(
      `update outbox set state = ?, attempts = ?, changed_at = ?, due_at = ?, external_id = ?, reason = ?,
         approved_by = ?, held_because = ? where id = ?`,
      ...changeable(after),
      after.id,
    );
    log(tx, after, event.type, now);
    return after;
  }, item);
}

/** Events hold the state of the item, never its content. */
function log(tx: Transaction, { id, sender, through, state }: OutboxItem, name: string, now: number): void {
  appendEvents(tx, [{ type: toEventType(name), subject: id, data: { kind: sender, source: through, state } }], now);
}

/** Of these senders, in a free slot, and first in its lane, of which nothing is being sent. */
const CAN_BE_TAKEN = `
  o.state = 'queued'
  and o.kind in (select value from json_each(?))
  and not exists (
    select 1 from json_each(?) busy
    where busy.value ->> 'through' = o.source and busy.value ->> 'isRetry' = (o.attempts > 0)
  )
  and not exists (
    select 1 from outbox earlier
    where earlier.state = 'queued' and earlier.source = o.source and earlier.lane = o.lane
      and earlier.position < o.position and earlier.kind = o.kind
  )
  and not exists (
    select 1 from outbox other
    where other.state = 'sending' and other.source = o.source and other.lane = o.lane and other.kind = o.kind
  )`;

function oldestDue(
  reader: Reader,
  senders: readonly string[],
  busy: readonly SendingSlot[],
  now: number,
): OutboxItem | undefined {
  const row = reader.get<OutboxRow>(
    `select * from outbox o where ${CAN_BE_TAKEN} and o.due_at <= ? order by o.position limit 1`,
    JSON.stringify(senders),
    JSON.stringify(busy),
    now,
  );
  return row && toItem(row);
}

function byId(reader: Reader, id: OutboxId): OutboxItem | undefined {
  const row = reader.get<OutboxRow>('select * from outbox where id = ?', id);
  return row && toItem(row);
}

function list(reader: Reader, { limit = DEFAULT_LIMIT, ...filter }: OutboxFilter): OutboxItem[] {
  const { sender, through, lane, states, before } = filter;
  const conditions: [string, string | undefined][] = [
    ['kind = ?', sender],
    ['source = ?', through],
    ['lane = ?', lane],
    ['state in (select value from json_each(?))', states && JSON.stringify(states)],
    ['position < (select position from outbox where id = ?)', before],
  ];
  const given = conditions.filter((entry): entry is [string, string] => entry[1] !== undefined);
  const where = ['true', ...given.map(([sql]) => sql)].join(' and ');
  return reader
    .all<OutboxRow>(
      `select * from outbox where ${where} order by position desc limit ?`,
      ...given.map(([, value]) => value),
      limit,
    )
    .map(toItem);
}

function changeable(item: OutboxItem): (string | number | null)[] {
  const { state, attempts, changedAt, dueAt, externalId = null, reason = null, approvedBy = null, heldBecause } = item;
  const because = heldBecause === undefined ? null : JSON.stringify(heldBecause);
  return [state, attempts, changedAt, dueAt, externalId, reason, approvedBy, because];
}

function toItem(row: OutboxRow): OutboxItem {
  return {
    id: row.id,
    sender: row.kind,
    through: row.source,
    ...(row.lane === null ? {} : { lane: row.lane }),
    principal: row.principal,
    ...(row.idempotency_key === null ? {} : { idempotencyKey: keyIn(row.idempotency_key, row.identity) }),
    recipients: JSON.parse(row.recipients) as OutboxItem['recipients'],
    summary: row.summary,
    payload: JSON.parse(row.payload) as JsonObject,
    state: row.state,
    attempts: row.attempts,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    dueAt: row.due_at,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.identity === null ? {} : { identity: row.identity }),
    ...(row.session === null ? {} : { session: row.session }),
    ...(row.approved_by === null ? {} : { approvedBy: row.approved_by }),
    ...(row.held_because === null ? {} : { heldBecause: JSON.parse(row.held_because) as readonly ReadChat[] }),
  };
}

import type { NewEvent } from '../../domain/event-log.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Session, SessionEvent } from '../../domain/session.ts';
import type { Clock } from '../../lib/clock.ts';
import type { SessionRepository } from '../../system/ports.ts';
import type { Database } from './database.ts';
import { appendEvents } from './event-log.ts';
import { toEventType } from './event-type.ts';

const DEFAULT_LIMIT = 1_000;

interface SessionRow {
  body: string;
  active_at: number;
}

const COLUMNS = 'body, active_at';

/** A power loss ends both ends of a session, so the session need not survive it. */
const NOT_DURABLE = { durable: false };

export function createSessionRepository(db: Database, clock: Clock): SessionRepository {
  return {
    save: (session, events) =>
      db.write((tx) => {
        tx.run(
          `insert into sessions (id, state, body, active_at) values (?, ?, ?, ?)
           on conflict (id) do update set state = excluded.state, body = excluded.body, active_at = excluded.active_at`,
          session.id,
          session.state,
          JSON.stringify(session),
          session.activeAt,
        );
        appendEvents(
          tx,
          events.map((event) => toLogged(session.id, event)),
          clock.now(),
        );
      }, NOT_DURABLE),
    touch: (id, at) =>
      db.write((tx) => void tx.run('update sessions set active_at = ? where id = ?', at, id), NOT_DURABLE),
    find: (id) =>
      db.read((reader) => toSession(reader.get<SessionRow>(`select ${COLUMNS} from sessions where id = ?`, id))),
    delete: (id) =>
      db.write((tx) => {
        const deleted = tx.run('delete from sessions where id = ?', id) > 0;
        if (deleted) appendEvents(tx, [{ type: 'session.deleted', subject: id, data: {} }], clock.now());
        return deleted;
      }),
    list: ({ open, limit = DEFAULT_LIMIT, before } = {}) =>
      db.read((reader) =>
        reader
          .all<SessionRow>(
            `select ${COLUMNS} from sessions where ${condition(open)} and id < ? order by id desc limit ?`,
            before ?? '~', // sorts after every id
            limit,
          )
          .map(parse),
      ),
  };
}

function condition(open: boolean | undefined): string {
  if (open === undefined) return 'true';
  return open ? `state not in ('closing', 'closed')` : `state in ('closing', 'closed')`;
}

/** Events are shown to clients: without the identity. */
function toLogged(id: SessionId, { type, ...event }: SessionEvent): NewEvent {
  const { identity, ...facts } = event as { identity?: string };
  return { type: toEventType(type), subject: id, data: facts as unknown as JsonObject };
}

function toSession(row: SessionRow | undefined): Session | undefined {
  return row && parse(row);
}

function parse({ body, active_at: activeAt }: SessionRow): Session {
  return { ...(JSON.parse(body) as Session), activeAt };
}

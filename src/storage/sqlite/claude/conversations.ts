import type { ConversationFilter, ConversationRepository } from '../../../claude/ports.ts';
import type { Conversation, ConversationEvent } from '../../../domain/conversation.ts';
import { type ConversationMessage, textOf } from '../../../domain/conversation-message.ts';
import { AppError } from '../../../domain/errors.ts';
import type { NewEvent } from '../../../domain/event-log.ts';
import type { ConversationId } from '../../../domain/ids.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { SqlValue } from '../connection.ts';
import type { Database, Reader, Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';
import { toEventType } from '../event-type.ts';

const DEFAULT_LIMIT = 1_000;
const MAX_WORDS = 20;

interface Row {
  body: string;
}

interface MessageRow extends Row {
  key: number;
  text: string;
}

export function createConversationRepository(db: Database, clock: Clock): ConversationRepository {
  const find = (reader: Reader, id: string) => {
    const row = reader.get<Row>('select body from conversations where id = ?', id);
    return row && parsed<Conversation>(row);
  };

  return {
    save: (conversation, events) =>
      db.write((tx) => {
        saveState(tx, conversation, conversation.version - events.length);
        for (const event of events) if (event.type === 'MessageAdded') addMessage(tx, conversation.id, event.message);
        appendEvents(
          tx,
          events.map((event) => toLogged(conversation, event)),
          clock.now(),
        );
      }),
    find: (id) => db.read((reader) => find(reader, id)),
    delete: (id) =>
      db.write((tx) => {
        const messages = tx.all<MessageRow>(
          'select key, text, body from conversation_messages where conversation = ?',
          id,
        );
        for (const { key, text } of messages) {
          tx.run(`insert into conversation_index (conversation_index, rowid, text) values ('delete', ?, ?)`, key, text);
        }
        tx.run('delete from conversation_messages where conversation = ?', id);
        const deleted = tx.run('delete from conversations where id = ?', id) > 0;
        if (deleted) appendEvents(tx, [{ type: 'conversation.deleted', subject: id, data: {} }], clock.now());
        return deleted;
      }),
    list: (filter = {}) =>
      db.read((reader) => {
        const { sql, values } = conditionsOf(filter);
        return reader
          .all<Row>(
            `select body from conversations where ${sql} order by changed_at desc, id desc limit ?`,
            ...values,
            filter.limit ?? DEFAULT_LIMIT,
          )
          .map((row) => parsed<Conversation>(row));
      }),
    messages: (id, { before = Number.MAX_SAFE_INTEGER, limit = -1 } = {}) =>
      db.read((reader) =>
        reader
          .all<Row>(
            `select body from conversation_messages where conversation = ? and number < ? order by number desc limit ?`,
            id,
            before,
            limit,
          )
          .map((row) => parsed<ConversationMessage>(row))
          .reverse(),
      ),
    sentAs: (id, clientId) =>
      db.read((reader) => {
        const row = reader.get<Row>(
          'select body from conversation_messages where conversation = ? and client_id = ?',
          id,
          clientId,
        );
        return row && parsed<ConversationMessage>(row);
      }),
    search: (query, { identity, limit = DEFAULT_LIMIT } = {}) =>
      db.read((reader) => {
        const expression = expressionOf(query);
        if (expression === undefined) return [];
        return reader
          .all<Row & { conversation: string }>(
            `select m.body as body, c.body as conversation from conversation_index i
               join conversation_messages m on m.key = i.rowid
               join conversations c on c.id = m.conversation
             where conversation_index match ? and (? is null or c.identity = ?)
             order by i.rowid desc limit ?`,
            expression,
            identity ?? null,
            identity ?? null,
            limit,
          )
          .map(({ body, conversation }) => ({
            conversation: parsed<Conversation>({ body: conversation }),
            message: parsed<ConversationMessage>({ body }),
          }));
      }),
    identities: () =>
      db.read((reader) => {
        const rows = reader.all<{ id: string; identity: string }>('select id, identity from conversations');
        return new Map(rows.map(({ id, identity }) => [id, identity]));
      }),
    running: () =>
      db.read((reader) =>
        reader
          .all<Row>(`select body from conversations where turn = 'running'`)
          .map((row) => parsed<Conversation>(row)),
      ),
  };
}

function saveState(tx: Transaction, conversation: Conversation, expected: number): void {
  const { id, identity, status, turn, title = '', version, changedAt } = conversation;
  const values = [status, turn.state, title, version, changedAt, JSON.stringify(conversation)];
  const saved =
    expected === 0
      ? tx.run(
          `insert into conversations (status, turn, title, version, changed_at, body, id, identity)
           values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (id) do nothing`,
          ...values,
          id,
          identity,
        )
      : tx.run(
          `update conversations set status = ?, turn = ?, title = ?, version = ?, changed_at = ?, body = ?
           where id = ? and version = ?`,
          ...values,
          id,
          expected,
        );
  if (saved === 0) throw new AppError('CONFLICT', 'The conversation was changed by another call meanwhile.');
}

function addMessage(tx: Transaction, conversation: ConversationId, message: ConversationMessage): void {
  const text = textOf(message);
  tx.run(
    'insert into conversation_messages (conversation, number, client_id, text, body) values (?, ?, ?, ?, ?)',
    conversation,
    message.number,
    message.clientId ?? null,
    text,
    JSON.stringify(message),
  );
  tx.run('insert into conversation_index (rowid, text) values (last_insert_rowid(), ?)', text);
}

function conditionsOf({ status, identity, title, after }: ConversationFilter): { sql: string; values: SqlValue[] } {
  const conditions: [string, SqlValue[]][] = [
    ...(status === undefined ? [] : [['status = ?', [status]] as [string, SqlValue[]]]),
    ...(identity === undefined ? [] : [['identity = ?', [identity]] as [string, SqlValue[]]]),
    ...(title === undefined ? [] : [['instr(lower(title), lower(?)) > 0', [title]] as [string, SqlValue[]]]),
    ...(after === undefined
      ? []
      : [['(changed_at, id) < (?, ?)', [after.changedAt, after.id]] as [string, SqlValue[]]]),
  ];
  return {
    sql: conditions.map(([sql]) => sql).join(' and ') || 'true',
    values: conditions.flatMap(([, values]) => values),
  };
}

/** Each word in quotes, so that none of them is an operator; undefined where there is no word. */
function expressionOf(query: string): string | undefined {
  const words = query.match(/[\p{L}\p{N}]+/gu)?.slice(0, MAX_WORDS) ?? [];
  return words.length === 0 ? undefined : words.map((word) => `"${word}"`).join(' ');
}

function parsed<T>({ body }: Row): T {
  return JSON.parse(body) as T;
}

/** Events are shown to clients: without identities, and without what was said. */
function toLogged({ id }: Conversation, { type, at: _, ...event }: ConversationEvent): NewEvent {
  return {
    type: type === 'MessageAdded' ? 'conversation.message-added' : typeOf(type),
    subject: id,
    data: dataOf({ ...event, type } as never),
  };
}

/** `TurnStarted` becomes `conversation.turn-started`. */
function typeOf(type: string): string {
  const name = toEventType(type);
  return name.startsWith('conversation.') ? name : `conversation.${name.replace('.', '-')}`;
}

function dataOf(event: ConversationEvent): JsonObject {
  switch (event.type) {
    case 'ConversationCreated':
      return { owner: event.owner, model: event.model, ...(event.forkedFrom ? { forked_from: event.forkedFrom } : {}) };
    case 'MessageAdded': {
      const { id, role, number, state } = event.message;
      return { message_id: id, role, number, state, content_length: textOf(event.message).length };
    }
    case 'ConversationUpdated':
      return { changed: Object.keys(event.changes) };
    case 'ApprovalRequested':
      return { calls: event.calls.map(({ id, tool }) => ({ id, tool })) };
    case 'ApprovalDecided':
      return { call: event.call, decision: event.decision, by: event.by };
    case 'TurnEnded':
      return { outcome: event.outcome };
    case 'TurnFailed':
      return { code: event.code };
    default:
      return {};
  }
}

import { withDeadline } from '../../lib/deadline.ts';
import type { HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import type { LineBatch } from './batches.ts';
import type { Fold } from './casemapping.ts';
import type { IrcSession } from './client.ts';
import { type ChannelContext, timeOf, toEvent } from './convert.ts';
import { isTarget, type ParsedLine } from './line.ts';

interface HistoryParts {
  session: IrcSession;
  fold: Fold;
  scope(): ChannelContext;
  answerMs: number;
}

interface Question {
  type: string;
  target?: string;
  label?: string;
  answer(batch: LineBatch): void;
  refuse(error: Error): void;
}

const TARGETS = 'draft/chathistory-targets';
const DAY = 24 * 60 * 60 * 1000;
/** Maximum number of pages of conversation partners. */
const MAX_TARGET_PAGES = 100;
const NOTHING: LineBatch = { type: 'chathistory', params: [], lines: [] };

/** The server's history (`CHATHISTORY`): pages of a chat, and the list of conversations. One request at a time. */
export function createHistory({ session, fold, scope, answerMs }: HistoryParts) {
  let turn: Promise<unknown> = Promise.resolve();
  let asked: Question | undefined;
  let lastGiven: string | undefined;
  let labels = 0;

  const most = Number(session.supports('CHATHISTORY') ?? session.supports('DRAFT/CHATHISTORY')) || Infinity;
  const types = session.supports('MSGREFTYPES');
  const knowsIds = typeof types !== 'string' || types.split(',').includes('msgid');

  function ask(type: string, params: readonly string[], signal: AbortSignal): Promise<LineBatch> {
    const answer = turn.then(() => {
      const late = (why: string) => new Error(`the server did not answer a question about its history (${why})`);
      return withDeadline(answerMs, signal, late, () => put(type, params)).finally(() => {
        asked = undefined;
      });
    });
    turn = answer.catch(() => {});
    return answer;
  }

  function put(type: string, params: readonly string[]): Promise<LineBatch> {
    const { promise, resolve, reject } = Promise.withResolvers<LineBatch>();
    const label = session.has('labeled-response') ? `history-${++labels}` : undefined;
    asked = {
      type,
      answer: resolve,
      refuse: reject,
      ...(type === TARGETS ? {} : { target: params[1] ?? '' }),
      ...(label === undefined ? {} : { label }),
    };
    session.write({ command: 'CHATHISTORY', params, ...(label === undefined ? {} : { tags: { label } }) });
    return promise;
  }

  /** Whether these lines were requested; others are live, such as messages replayed by a bouncer. */
  function take(batch: LineBatch): boolean {
    if (batch.type !== asked?.type) return false;
    const fits =
      asked.label === undefined
        ? asked.target === undefined || fold(batch.params[0] ?? '') === fold(asked.target)
        : batch.label === asked.label;
    if (fits) asked.answer(batch);
    return fits;
  }

  function note({ command, params }: ParsedLine): void {
    if (command !== 'FAIL' || params[0] !== 'CHATHISTORY' || !asked) return;
    if (params[1] === 'INVALID_TARGET') asked.answer(NOTHING);
    else if (params[1] === 'INVALID_MSGREFTYPE') asked.refuse(cursorLost('the server knows no such place'));
    else asked.refuse(new Error('the server could not read its history', { cause: params.slice(1).join(' ') }));
  }

  async function page({ timeline, direction, from, limit, signal }: HistoryRequest): Promise<HistoryPage> {
    if (!isTarget(timeline)) return { kind: 'page', events: [], end: true };
    const size = String(Math.min(limit, most));
    const ways = direction === 'older' ? 'BEFORE' : 'AFTER';
    const place = from === undefined ? ['LATEST', timeline, '*'] : [ways, timeline, placeOf(from, direction)];
    const { lines } = await ask('chathistory', [...place, size], signal);
    if (lines.length === 0 && direction === 'newer') await checkPlace(timeline, from, signal);
    return pageOf(lines);
  }

  /** A server that no longer has a message returns an empty page, as it does at the end of the history. */
  async function checkPlace(timeline: string, from: string | undefined, signal: AbortSignal): Promise<void> {
    if (from === undefined || from === lastGiven || !usesId(from)) return;
    const { lines } = await ask('chathistory', ['AROUND', timeline, placeOf(from, 'newer'), '2'], signal);
    if (lines.length === 0) throw cursorLost('the server has forgotten the message');
  }

  function pageOf(lines: readonly ParsedLine[]): HistoryPage {
    const known = scope();
    const cursors = lines.flatMap((line) => cursorOf(line, known) ?? []);
    const [oldest, newest] = [cursors[0], cursors.at(-1)];
    if (oldest === undefined || newest === undefined) return { kind: 'page', events: [], end: true };
    lastGiven = newest;
    return { kind: 'page', events: lines.flatMap((line) => toEvent(line, known) ?? []), oldest, newest, end: false };
  }

  function usesId(cursor: string): boolean {
    return knowsIds && !cursor.endsWith(' ');
  }

  /**
   * By message id; by time only if the server has no ids, including that millisecond again, because many messages can
   * share it.
   */
  function placeOf(cursor: string, direction: HistoryRequest['direction']): string {
    const [time = '', id = ''] = cursor.split(' ');
    if (usesId(cursor)) return `msgid=${id}`;
    const at = Date.parse(time) + (direction === 'older' ? 1 : -1);
    return `timestamp=${new Date(at).toISOString()}`;
  }

  /** All users with whom there is a history. */
  async function directChats(now: number, signal: AbortSignal): Promise<string[]> {
    const found = new Set<string>();
    let since = 0;
    for (let pages = 0; pages < MAX_TARGET_PAGES; pages++) {
      const between = [since, now + DAY].map((at) => `timestamp=${new Date(at).toISOString()}`);
      const { lines } = await ask(TARGETS, ['TARGETS', ...between, String(Math.min(most, 1_000))], signal);
      const before = found.size;
      for (const { params } of lines) {
        if (params[1]) found.add(params[1]);
        since = Math.max(since, Date.parse(params[2] ?? '') || 0);
      }
      if (found.size === before) break;
    }
    return [...found];
  }

  /** The newest messages of a chat. */
  async function latest(chat: string, signal: AbortSignal): Promise<{ lines: readonly ParsedLine[]; isAll: boolean }> {
    const limit = Math.min(most, 100);
    const { lines } = await ask('chathistory', ['LATEST', chat, '*', String(limit)], signal);
    return { lines, isAll: lines.length < limit };
  }

  return { page, latest, take, note, directChats };
}

/** A position in a timeline: timestamp and message id. */
export function cursorOf(line: ParsedLine, scope: Pick<ChannelContext, 'now'>): string | undefined {
  const { msgid = '', time } = line.tags;
  if (msgid === '' && time === undefined) return undefined;
  return cursorAt(line, scope) + msgid;
}

/** The position of a line that need not be in the history: its timestamp alone. */
export function cursorAt(line: ParsedLine, scope: Pick<ChannelContext, 'now'>): string {
  return `${new Date(timeOf(line, scope)).toISOString()} `;
}

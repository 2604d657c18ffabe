import { Long, type tl } from '@mtcute/core';
import type { CursorLost, HistoryPage, HistoryRequest } from '../connector.ts';
import { cursorLost } from '../outcome-error.ts';
import type { Call } from './client.ts';
import { toEvents } from './convert.ts';
import { boxOf, cursorOf, type Epochs, readCursor } from './epochs.ts';
import type { KnownPeers } from './known-peers.ts';

/** Telegram returns at most this many. */
const MAX_PAGE = 100;

interface HistoryParts {
  call: Call;
  self: string;
  known: KnownPeers;
  epochs: Epochs;
  /** How Telegram wants a chat to be named. */
  inputPeer(chat: string): Promise<tl.TypeInputPeer>;
  /** Resolves when the updates since the last connection were received. */
  caughtUp: Promise<unknown>;
  onEvents(events: HistoryPage['events']): void;
}

/** A page of a chat's history. */
export async function historyPage(parts: HistoryParts, request: HistoryRequest): Promise<HistoryPage | CursorLost> {
  const from = request.from === undefined ? undefined : readCursor(request.from);
  if (request.from !== undefined && !from) throw cursorLost('The cursor is not one of Telegram.');
  if (request.direction === 'older') return older(parts, request, from?.message ?? 0);
  return newer(parts, request, from ?? { message: 0, epoch: '' });
}

async function older(parts: HistoryParts, request: HistoryRequest, before: number): Promise<HistoryPage> {
  const epoch = parts.epochs.of(boxOf(request.timeline));
  const { messages, isAll } = await read(parts, request, { offsetId: before });
  const [oldest, newest] = [messages.at(0), messages.at(-1)];
  return {
    kind: 'page',
    events: eventsOf(parts, messages),
    ...(oldest ? { oldest: cursorOf({ message: oldest.id, epoch: '' }) } : {}),
    // Everything after the newest message, also in an empty chat, arrives as an update of this epoch.
    ...(before === 0 ? { newest: cursorOf({ message: newest?.id ?? 0, epoch }) } : {}),
    end: isAll || messages.length === 0,
  };
}

/** What was missed in the epoch of the cursor arrives as updates; only the rest is asked for. */
async function newer(
  parts: HistoryParts,
  request: HistoryRequest,
  from: { message: number; epoch: string },
): Promise<HistoryPage> {
  await parts.caughtUp;
  const epoch = parts.epochs.of(boxOf(request.timeline));
  if (from.epoch !== '' && from.epoch === epoch) return { kind: 'page', events: [], end: true };
  const after = { offsetId: from.message, addOffset: -request.limit, minId: from.message };
  const messages = (await read(parts, request, after)).messages.filter(({ id }) => id > from.message);
  const newest = messages.at(-1);
  const cursor = newest ? { message: newest.id, epoch: '' } : { message: from.message, epoch };
  return { kind: 'page', events: eventsOf(parts, messages), newest: cursorOf(cursor), end: newest === undefined };
}

/** Messages of a chat, oldest first. `isAll`: the chat has no others. */
async function read(
  { call, inputPeer, known }: HistoryParts,
  { timeline, limit }: HistoryRequest,
  place: { offsetId: number; addOffset?: number; minId?: number },
): Promise<{ messages: tl.TypeMessage[]; isAll: boolean }> {
  // Not with the signal of the request: a request that is cancelled after the end makes the library start a timer.
  const answer = await call({
    _: 'messages.getHistory',
    peer: await inputPeer(timeline),
    offsetDate: 0,
    addOffset: 0,
    maxId: 0,
    minId: 0,
    ...place,
    limit: Math.min(MAX_PAGE, limit),
    hash: Long.ZERO,
  });
  if (answer._ === 'messages.messagesNotModified') return { messages: [], isAll: true };
  known.learn(answer);
  return {
    messages: answer.messages.toSorted((a, b) => a.id - b.id),
    isAll: answer._ === 'messages.messages' && place.offsetId === 0,
  };
}

function eventsOf({ self, known, onEvents }: HistoryParts, messages: readonly tl.TypeMessage[]) {
  const events = messages.flatMap((message) => toEvents(message, { self, peers: known }));
  onEvents(events);
  return events;
}

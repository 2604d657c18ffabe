import type { Content, Model, StoredEvent } from './model.ts';

/** Who requests: events that a device sent itself include its transaction id. */
export interface Asker {
  user: string;
  device: string;
}

export interface EventFilter {
  types?: string[] | undefined;
  not_types?: string[] | undefined;
  limit?: number | undefined;
  lazy_load_members?: boolean | undefined;
}

export interface Filter {
  account_data?: EventFilter | undefined;
  room?: { state?: EventFilter | undefined; timeline?: EventFilter | undefined } | undefined;
}

interface SyncRequest {
  asker: Asker;
  since?: number | undefined;
  filter: Filter;
  fullState: boolean;
  /** Encodes a position as a token. */
  token(kind: 's' | 't', place: number): string;
}

const USUAL_LIMIT = 10;

/** The current response of `/sync`. */
export function syncView(model: Model, request: SyncRequest) {
  const { asker, since } = request;
  const [join, leave, invite] = [{}, {}, {}] as Record<string, unknown>[] as [Content, Content, Content];
  for (const id of model.rooms.keys()) {
    const now = model.membership(id, asker.user);
    const before = since === undefined ? undefined : model.membership(id, asker.user, since);
    if (now === 'join') {
      const view = joinedRoom(model, id, request, before === 'join');
      if (view) join[id] = view;
    } else if (now === 'invite' && now !== before) {
      invite[id] = { invite_state: { events: model.wholeState(id).map(stripped) } };
    } else if (now === 'leave' && before === 'join') {
      leave[id] = joinedRoom(model, id, request, true) ?? {};
    }
  }
  const account = [...(model.users.get(asker.user)?.account ?? [])]
    .filter(([type, { stream }]) => passes(type, request.filter.account_data) && stream > (since ?? 0))
    .map(([type, { content }]) => ({ type, content }));
  return {
    next_batch: request.token('s', model.now()),
    ...(account.length > 0 ? { account_data: { events: account } } : {}),
    rooms: { join, leave, invite },
  };
}

/** Whether a response contains anything that should end a long poll. */
export function isWorthTelling(view: ReturnType<typeof syncView>): boolean {
  const { join, leave, invite } = view.rooms;
  return view.account_data !== undefined || [join, leave, invite].some((rooms) => Object.keys(rooms).length > 0);
}

function joinedRoom(model: Model, id: string, { asker, since, filter, fullState, token }: SyncRequest, wasIn: boolean) {
  const known = wasIn ? since : undefined;
  const { state: stateFilter, timeline: timelineFilter } = filter.room ?? {};
  const after = model
    .room(id)
    .events.filter(({ stream, type }) => stream > (known ?? 0) && passes(type, timelineFilter));
  if (after.length === 0 && known !== undefined && !fullState) return undefined;
  const events = after.slice(-(timelineFilter?.limit ?? USUAL_LIMIT));
  const start = (events[0]?.stream ?? model.now() + 1) - 1;
  const whole = known === undefined || fullState;
  const speakers = new Set(events.map(({ sender }) => sender));
  const heroes = model.members(id, 'join').filter((user) => user !== asker.user);
  const state = model
    .wholeState(id, start)
    .filter(({ stream, type }) => (whole || stream > known || type === 'm.room.member') && passes(type, stateFilter))
    .filter(({ type, state_key: key = '' }) => {
      if (type !== 'm.room.member' || !stateFilter?.lazy_load_members) return true;
      return speakers.has(key) || (whole && heroes.slice(0, 5).includes(key));
    });
  const tellsSummary = known === undefined || events.some(({ type }) => type === 'm.room.member');
  return {
    state: { events: state.map((event) => eventView(event, asker)) },
    timeline: {
      events: events.map((event) => eventView(event, asker)),
      limited: events.length < after.length,
      prev_batch: token('t', start),
    },
    ...(tellsSummary
      ? {
          summary: {
            'm.heroes': heroes.slice(0, 5),
            'm.joined_member_count': model.members(id, 'join').length,
            'm.invited_member_count': model.members(id, 'invite').length,
          },
        }
      : {}),
  };
}

interface MessagesRequest {
  asker: Asker;
  room: string;
  direction: 'b' | 'f';
  from?: number | undefined;
  to?: number | undefined;
  limit: number;
  filter: EventFilter;
  token(kind: 's' | 't', place: number): string;
}

/** The response of `/messages`: a position is after the event of its number. */
export function messagesView(
  model: Model,
  { asker, room, direction, to, limit, filter, token, ...request }: MessagesRequest,
) {
  const isBack = direction === 'b';
  const from = request.from ?? (isBack ? model.now() : 0);
  const { events } = model.room(room);
  const found = isBack
    ? events.filter(({ stream }) => stream <= from && stream > (to ?? 0)).toReversed()
    : events.filter(({ stream }) => stream > from && stream <= (to ?? model.now()));
  const chunk = found.slice(0, limit);
  const last = chunk.at(-1);
  const speakers = new Set(chunk.map(({ sender }) => sender));
  const members = model
    .wholeState(room)
    .filter(({ type, state_key: key = '' }) => type === 'm.room.member' && speakers.has(key));
  return {
    start: token('t', from),
    chunk: chunk
      .filter(({ type }) => passes(type, filter))
      .map((event) => ({ ...eventView(event, asker), room_id: room })),
    ...(last ? { end: token('t', isBack ? last.stream - 1 : last.stream) } : {}),
    ...(filter.lazy_load_members && members.length > 0
      ? { state: members.map((event) => eventView(event, asker)) }
      : {}),
  };
}

/** An event as a device sees it. */
export function eventView({ stream: _, transaction, ...event }: StoredEvent, { device }: Asker): Content {
  const own = transaction?.device === device ? { transaction_id: transaction.id } : {};
  // As in rooms of version 11 and later.
  const { redacts, ...rest } = event;
  return {
    ...rest,
    content: redacts === undefined ? event.content : { ...event.content, redacts },
    unsigned: { age: Date.now() - event.origin_server_ts, ...event.unsigned, ...own },
  };
}

function stripped({ type, state_key, sender, content }: StoredEvent): Content {
  return { type, state_key, sender, content };
}

function passes(type: string, { types, not_types: not }: EventFilter = {}): boolean {
  const fits = (pattern: string) => (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern);
  return (types === undefined || types.some(fits)) && !not?.some(fits);
}

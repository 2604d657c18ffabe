import { z } from 'zod';

/** Untrusted data is read leniently: a field of the wrong type counts as missing. */
const lenient = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined);
const text = () => lenient(z.string());
const id = () => z.string().min(1).max(1_000);
const things = () => z.record(z.string(), z.unknown()).catch({});

const LoginAnswer = z.object({ user_id: id(), access_token: z.string().min(1), device_id: z.string().min(1) });
const WhoAmI = z.object({ user_id: id() });
const Joined = z.object({ room_id: id() });
const JoinedRooms = z.object({ joined_rooms: z.array(id()) });
const CreatedRoom = z.object({ room_id: id() });
const Member = z.object({ membership: text(), is_direct: lenient(z.boolean()) });
const SentEvent = z.object({ event_id: id() });
const Refusal = z.object({
  errcode: text(),
  error: text(),
  retry_after_ms: lenient(z.number()),
});

const RoomEvent = z.object({
  type: id(),
  event_id: id(),
  sender: id(),
  origin_server_ts: z.number(),
  state_key: text(),
  content: things(),
  redacts: text(),
  unsigned: lenient(
    z.object({
      redacted_because: lenient(z.object({ origin_server_ts: lenient(z.number()) })),
      prev_content: lenient(z.object({ membership: text() })),
    }),
  ),
});
export type RoomEvent = z.infer<typeof RoomEvent>;

const Content = z.object({
  msgtype: text(),
  body: text(),
  filename: text(),
  url: text(),
  file: lenient(z.object({ url: text() })),
  info: lenient(z.object({ mimetype: text(), size: lenient(z.int().min(0)) })),
  geo_uri: text(),
  'm.relates_to': lenient(
    z.object({
      rel_type: text(),
      event_id: text(),
      key: text(),
      is_falling_back: lenient(z.boolean()),
      'm.in_reply_to': lenient(z.object({ event_id: text() })),
    }),
  ),
  'm.new_content': lenient(things()),
});
export type Content = z.infer<typeof Content>;

const Timeline = z.object({
  events: lenient(z.array(z.unknown())),
  limited: lenient(z.boolean()),
});
const Events = z.object({ events: lenient(z.array(z.unknown())) });

const SyncedRoom = z.object({
  state: lenient(Events),
  timeline: lenient(Timeline),
  summary: lenient(
    z.object({
      'm.heroes': lenient(z.array(z.string())),
      'm.joined_member_count': lenient(z.int().min(0)),
    }),
  ),
});
export type SyncedRoom = z.infer<typeof SyncedRoom>;

const Sync = z.object({
  next_batch: z.string().min(1),
  account_data: lenient(Events),
  rooms: lenient(z.object({ join: things(), leave: things(), invite: things() })),
});
export type Sync = z.infer<typeof Sync>;

const Messages = z.object({
  start: text(),
  end: text(),
  chunk: lenient(z.array(z.unknown())),
  state: lenient(z.array(z.unknown())),
});
export type Messages = z.infer<typeof Messages>;

const AccountData = z.object({ type: z.string(), content: z.unknown() });
const DirectRooms = z.record(z.string(), z.array(z.string()).catch([])).catch({});

export const readLogin = expected(LoginAnswer);
export const readWhoAmI = expected(WhoAmI);
export const readJoined = expected(Joined);
export const readCreatedRoom = expected(CreatedRoom);
export const readCreation = expected(things());
export const readMember = expected(Member);
export const readJoinedRooms = expected(JoinedRooms);
export const readSentEvent = expected(SentEvent);
export const readSync = expected(Sync);
export const readMessages = expected(Messages);

/** Fields of an error response; none if it does not come from the homeserver. */
export function readRefusal(answer: unknown): z.infer<typeof Refusal> {
  return Refusal.safeParse(answer).data ?? {};
}

export function readRoom(answer: unknown): SyncedRoom {
  return SyncedRoom.safeParse(answer).data ?? {};
}

/** Elements that are events; others are dropped. */
export function readEvents(list: readonly unknown[] | undefined): RoomEvent[] {
  return (list ?? []).flatMap((one) => RoomEvent.safeParse(one).data ?? []);
}

export function readContent(content: unknown): Content {
  return Content.safeParse(content).data ?? {};
}

/** The last `m.direct` of the account data: the rooms that are direct conversations. */
export function directRoomsIn(list: readonly unknown[] | undefined): ReadonlyMap<string, string> | undefined {
  const all = (list ?? []).flatMap((one) => AccountData.safeParse(one).data ?? []);
  const last = all.findLast(({ type }) => type === 'm.direct');
  return last && readDirectRooms(last.content);
}

/** The rooms of each person in `m.direct`. */
export function readPeople(content: unknown): Record<string, string[]> {
  return DirectRooms.parse(content ?? {});
}

const Invited = z.object({
  type: z.literal('m.room.member'),
  state_key: z.string(),
  sender: id(),
  content: z.object({ membership: z.literal('invite'), is_direct: z.literal(true) }),
});
const InvitedRoom = z.object({ invite_state: Events });

/** Who invited the user to a direct chat, if it is one. */
export function readDirectInvitation(answer: unknown, me: string): string | undefined {
  const events = InvitedRoom.safeParse(answer).data?.invite_state.events ?? [];
  const invitations = events.flatMap((event) => Invited.safeParse(event).data ?? []);
  return invitations.find(({ state_key: user }) => user === me)?.sender;
}

/** The other user of each direct room, by room id. */
export function readDirectRooms(content: unknown): ReadonlyMap<string, string> {
  const people = Object.entries(DirectRooms.parse(content));
  return new Map(people.flatMap(([person, rooms]) => rooms.map((room) => [room, person] as const)));
}

/** An answer that no homeserver gives. */
export class NotMatrix extends Error {
  override readonly name = 'NotMatrix';
}

function expected<Schema extends z.ZodType>(schema: Schema): (answer: unknown) => z.infer<Schema> {
  return (answer) => {
    const { data, error } = schema.safeParse(answer);
    if (error)
      throw new NotMatrix('The homeserver gave an answer that is not as the specification says.', { cause: error });
    return data;
  };
}

const StoredSession = z.object({ homeserver: z.string(), user: z.string(), token: z.string() });

/** A session as we stored it; undefined if it cannot be parsed. */
export function readStoredSession(text: string | undefined): z.output<typeof StoredSession> | undefined {
  if (text === undefined) return undefined;
  try {
    return StoredSession.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

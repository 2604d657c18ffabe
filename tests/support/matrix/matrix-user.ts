import { randomUUID } from 'node:crypto';

export type Content = Record<string, unknown>;

interface Sent {
  event_id: string;
}

export interface RoomOptions {
  name?: string;
  alias?: string;
  invite?: readonly string[];
  isDirect?: boolean;
  preset?: 'private_chat' | 'trusted_private_chat' | 'public_chat';
}

interface SeenEvent {
  event_id: string;
  type: string;
  sender: string;
  content: Content;
}

/** A user of a homeserver who reads and writes by its API. */
export async function matrixUser(url: string, name: string) {
  const base = `${url}/_matrix/client/v3`;
  let token: string | undefined;
  let last: Promise<unknown> = Promise.resolve();
  const session = await call<{ user_id: string; access_token: string }>('POST', 'login', {
    type: 'm.login.password',
    identifier: { type: 'm.id.user', user: name },
    password: `pw-${name}`,
  });
  const { user_id: id } = session;
  token = session.access_token;

  async function call<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${base}/${path}`, {
      method,
      headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  /** One after the other: requests at the same time are in any order. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  const at = (room: string) => `rooms/${encodeURIComponent(room)}`;

  async function found(room: string, fits: (event: SeenEvent) => boolean): Promise<SeenEvent> {
    for (;;) {
      const { chunk } = await call<{ chunk: SeenEvent[] }>('GET', `${at(room)}/messages?dir=b&limit=100`);
      const event = chunk.find(fits);
      if (event) return event;
    }
  }

  return {
    id,
    token: session.access_token,
    call,
    /** Sends an event; returns its id. */
    write: (room: string, type: string, content: Content): Promise<string> =>
      inTurn(async () => (await call<Sent>('PUT', `${at(room)}/send/${type}/${randomUUID()}`, content)).event_id),
    state: (room: string, type: string, content: Content): Promise<string> =>
      inTurn(async () => (await call<Sent>('PUT', `${at(room)}/state/${type}/`, content)).event_id),
    redact: (room: string, target: string): Promise<string> =>
      inTurn(
        async () =>
          (await call<Sent>('PUT', `${at(room)}/redact/${encodeURIComponent(target)}/${randomUUID()}`, {})).event_id,
      ),
    /** The latest event of a room that matches, once there is one. */
    found,
    async createRoom({ name: roomName, alias, invite = [], isDirect = false, preset }: RoomOptions = {}) {
      const { room_id: room } = await call<{ room_id: string }>('POST', 'createRoom', {
        ...(roomName === undefined ? {} : { name: roomName }),
        ...(alias === undefined ? {} : { room_alias_name: alias }),
        preset: preset ?? 'private_chat',
        is_direct: isDirect,
        invite,
      });
      return room;
    },
    join: (room: string) => call('POST', `join/${encodeURIComponent(room)}`, {}),
    setAccountData: (type: string, content: unknown) =>
      call('PUT', `user/${encodeURIComponent(id)}/account_data/${type}`, content),
    accountData: <T>(type: string) => call<T>('GET', `user/${encodeURIComponent(id)}/account_data/${type}`),
    joinedRooms: async () => (await call<{ joined_rooms: string[] }>('GET', 'joined_rooms')).joined_rooms,
    members: async (room: string) =>
      Object.keys((await call<{ joined: Record<string, unknown> }>('GET', `${at(room)}/joined_members`)).joined),
    async upload(content: Uint8Array, mime: string): Promise<string> {
      const answer = await fetch(`${url}/_matrix/media/v3/upload`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': mime },
        body: content as Uint8Array<ArrayBuffer>,
      });
      return ((await answer.json()) as { content_uri: string }).content_uri;
    },
  };
}

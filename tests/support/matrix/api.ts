import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import type { Content, Model } from './model.ts';
import { type Asker, eventView, isWorthTelling, messagesView, syncView } from './views.ts';

export interface Question {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
  /** Aborted when the client has disconnected. */
  gone: AbortSignal;
}

export interface Answer {
  status: number;
  headers?: Record<string, string>;
  body: unknown;
}

interface Call {
  asker: Asker;
  parts: readonly string[];
  query: URLSearchParams;
  body: Content;
  gone: AbortSignal;
}

interface Route {
  method: string;
  path: RegExp;
  query?: readonly string[];
  /** Whether it can be requested without a token. */
  open?: boolean;
  run(call: Call): Promise<Answer> | Answer;
}

const LONGEST_POLL_MS = 60_000;

const EventFilter = z.strictObject({
  limit: z.int().min(0).optional(),
  types: z.array(z.string()).optional(),
  not_types: z.array(z.string()).optional(),
  lazy_load_members: z.boolean().optional(),
  include_redundant_members: z.boolean().optional(),
});
const Filter = z.strictObject({
  presence: EventFilter.optional(),
  account_data: EventFilter.optional(),
  room: z
    .strictObject({
      state: EventFilter.optional(),
      timeline: EventFilter.optional(),
      ephemeral: EventFilter.optional(),
      account_data: EventFilter.optional(),
    })
    .optional(),
});
const Login = z.strictObject({
  type: z.literal('m.login.password'),
  identifier: z.strictObject({ type: z.literal('m.id.user'), user: z.string() }),
  password: z.string(),
  device_id: z.string().optional(),
  initial_device_display_name: z.string().optional(),
});

/** The routes of the client-server API that the tests need, with the checks of a strict homeserver. */
export function createMatrixApi(model: Model, violations: string[]) {
  const tokens = new Map<string, Asker>();
  const softly = new Set<string>();
  const sent = new Map<string, string>();
  const media = new Map<string, Uint8Array>();
  let epoch = 0;

  const token = (kind: 's' | 't', place: number) => `${kind}${epoch}_${place}`;

  function place(text: string | null): number | undefined {
    if (text === null) return undefined;
    const [, era, number] = /^[st](\d+)_(\d+)$/.exec(text) ?? [];
    if (Number(era) !== epoch || number === undefined) throw refused(400, 'M_INVALID_PARAM');
    return Number(number);
  }

  function signIn(user: string, device: string): string {
    for (const [old, asker] of tokens) if (asker.user === user && asker.device === device) tokens.delete(old);
    const fresh = `token-${randomUUID()}`;
    tokens.set(fresh, { user, device });
    return fresh;
  }

  function mustBeIn(room: string | undefined, { user }: Asker): string {
    if (room === undefined || !model.rooms.has(room)) throw refused(404, 'M_NOT_FOUND');
    if (model.membership(room, user) !== 'join') throw refused(403, 'M_FORBIDDEN');
    return room;
  }

  async function sync({ asker, query, gone }: Call): Promise<Answer> {
    const request = {
      asker,
      since: place(query.get('since')),
      filter: Filter.parse(JSON.parse(query.get('filter') ?? '{}')),
      fullState: query.get('full_state') === 'true',
      token,
    };
    const timeout = z.coerce
      .number()
      .int()
      .min(0)
      .parse(query.get('timeout') ?? '0');
    z.enum(['online', 'offline', 'unavailable']).parse(query.get('set_presence') ?? 'online');
    const isOver = AbortSignal.any([gone, AbortSignal.timeout(Math.min(timeout, LONGEST_POLL_MS))]);
    for (;;) {
      const view = syncView(model, request);
      const atOnce = request.since === undefined || request.fullState || timeout === 0;
      if (atOnce || isWorthTelling(view) || isOver.aborted) return ok(view);
      await changeOrEnd(model, isOver);
    }
  }

  function messages({ asker, parts: [room], query }: Call): Answer {
    const view = messagesView(model, {
      asker,
      room: mustBeIn(room, asker),
      direction: z.enum(['b', 'f']).parse(query.get('dir')),
      from: place(query.get('from')),
      to: place(query.get('to')),
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .parse(query.get('limit') ?? '10'),
      filter: EventFilter.parse(JSON.parse(query.get('filter') ?? '{}')),
      token,
    });
    return ok(view);
  }

  function login({ body }: Call): Answer {
    const { identifier, password, device_id: device = randomUUID() } = Login.parse(body);
    const user = [...model.users.values()].find(({ id }) => [id, id.slice(1).split(':')[0]].includes(identifier.user));
    if (user?.password !== password) throw refused(403, 'M_FORBIDDEN');
    return ok({ user_id: user.id, device_id: device, access_token: signIn(user.id, device) });
  }

  function send({ asker, parts: [roomId, type = '', id = ''], body }: Call): Answer {
    const room = mustBeIn(roomId, asker);
    const key = JSON.stringify([asker.device, room, type, id]);
    const former = sent.get(key);
    if (former !== undefined) return ok({ event_id: former });
    z.object({ msgtype: z.string(), body: z.string() }).parse(body);
    if (JSON.stringify(body).length > 65_536) throw refused(413, 'M_TOO_LARGE');
    const transaction = { device: asker.device, id };
    const { event_id } = model.append(room, { type, sender: asker.user, content: body, transaction });
    sent.set(key, event_id);
    return ok({ event_id });
  }

  function join({ asker, parts: [wanted = ''] }: Call): Answer {
    const room = model.aliases.get(wanted) ?? wanted;
    if (!model.rooms.has(room)) throw refused(404, 'M_NOT_FOUND');
    const rule = model.stateAt(room, 'm.room.join_rules', '')?.content.join_rule;
    const membership = model.membership(room, asker.user);
    if (rule === 'invite' && membership !== 'invite' && membership !== 'join') throw refused(403, 'M_FORBIDDEN');
    if (membership !== 'join') model.setMembership(room, asker.user, 'join');
    return ok({ room_id: room });
  }

  function state({ asker, parts: [roomId, type = '', key = ''] }: Call): Answer {
    const event = model.stateAt(mustBeIn(roomId, asker), type, key);
    if (!event) throw refused(404, 'M_NOT_FOUND');
    return ok(event.content);
  }

  function event({ asker, parts: [roomId, id] }: Call): Answer {
    const found = model.room(mustBeIn(roomId, asker)).events.find(({ event_id }) => event_id === id);
    if (!found) throw refused(404, 'M_NOT_FOUND');
    return ok(eventView(found, asker));
  }

  function accountData({ asker, parts: [user, type = ''] }: Call): Answer {
    if (user !== asker.user) throw refused(403, 'M_FORBIDDEN');
    const found = model.users.get(user)?.account.get(type);
    if (!found) throw refused(404, 'M_NOT_FOUND');
    return ok(found.content);
  }

  const routes: Route[] = [
    { method: 'POST', path: /^login$/, open: true, run: login },
    {
      method: 'GET',
      path: /^account\/whoami$/,
      run: ({ asker }) => ok({ user_id: asker.user, device_id: asker.device }),
    },
    {
      method: 'GET',
      path: /^joined_rooms$/,
      run: ({ asker }) =>
        ok({ joined_rooms: [...model.rooms.keys()].filter((id) => model.membership(id, asker.user) === 'join') }),
    },
    { method: 'GET', path: /^user\/([^/]+)\/account_data\/([^/]+)$/, run: accountData },
    {
      method: 'GET',
      path: /^sync$/,
      query: ['filter', 'since', 'full_state', 'timeout', 'set_presence'],
      run: sync,
    },
    {
      method: 'GET',
      path: /^rooms\/([^/]+)\/messages$/,
      query: ['dir', 'from', 'to', 'limit', 'filter'],
      run: messages,
    },
    { method: 'GET', path: /^rooms\/([^/]+)\/event\/([^/]+)$/, run: event },
    { method: 'GET', path: /^rooms\/([^/]+)\/state\/([^/]+)(?:\/([^/]*))?$/, run: state },
    { method: 'PUT', path: /^rooms\/([^/]+)\/send\/([^/]+)\/([^/]+)$/, run: send },
    { method: 'POST', path: /^join\/([^/]+)$/, query: ['server_name', 'via'], run: join },
  ];

  function callOf(route: Route, { path, query, headers, body, gone }: Question): Call {
    const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    const asker = tokens.get(bearer ?? '');
    if (!asker && !route.open) {
      const code = bearer === undefined ? 'M_MISSING_TOKEN' : 'M_UNKNOWN_TOKEN';
      throw refused(401, code, softly.has(bearer ?? '') ? { soft_logout: true } : {});
    }
    for (const name of query.keys()) {
      if (!route.query?.includes(name)) throw new Error(`${path} knows no parameter ${name}`);
    }
    const parts = route.path.exec(path)?.slice(1) ?? [];
    return {
      asker: asker ?? { user: '', device: '' },
      parts: parts.map((part) => decodeURIComponent(part ?? '')),
      query,
      body: route.method === 'GET' ? {} : jsonOf(headers, body),
      gone,
    };
  }

  function mediaOf(id: string, { headers }: Question): Answer {
    if (!tokens.has(headers.authorization?.replace('Bearer ', '') ?? '')) return { status: 401, body: {} };
    const content = media.get(id);
    if (!content) return { status: 404, body: { errcode: 'M_NOT_FOUND' } };
    return {
      status: 200,
      headers: { 'content-type': 'text/plain', 'content-length': `${content.length}` },
      body: content,
    };
  }

  async function answer(question: Question): Promise<Answer> {
    const [, wanted] = /^\/_matrix\/client\/v1\/media\/download\/hs\.test\/(\w+)$/.exec(question.path) ?? [];
    if (wanted !== undefined) return mediaOf(wanted, question);
    const path = question.path.replace(/^\/_matrix\/client\/v3\//, '');
    const route = routes.find((one) => one.method === question.method && one.path.test(path));
    try {
      if (!route || path === question.path) throw new Error(`there is no ${question.method} ${question.path}`);
      return await route.run(callOf(route, { ...question, path }));
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      violations.push(String(error));
      return { status: 400, body: { errcode: 'M_BAD_JSON', error: String(error) } };
    }
  }

  return {
    answer,
    /** Stores a file; returns its URL. */
    addMedia(content: Uint8Array): string {
      const id = `m${media.size}`;
      media.set(id, content);
      return `mxc://hs.test/${id}`;
    },
    /** A token for the user, as another client would have it. */
    tokenOf: (user: string, device = 'ELSEWHERE') => signIn(user, device),
    devicesOf: (user: string) =>
      [...tokens.values()].filter((asker) => asker.user === user).map(({ device }) => device),
    signOut(user: string, { soft = false } = {}): void {
      for (const [one, asker] of tokens) {
        if (asker.user !== user) continue;
        tokens.delete(one);
        if (soft) softly.add(one);
      }
    },
    /** As after a restore from an old backup: tokens issued before are invalid. */
    forgetPlaces(): void {
      epoch += 1;
    },
  };
}

class Refused extends Error {
  override readonly name = 'Refused';
  readonly answer: Answer;

  constructor(answer: Answer) {
    super('refused');
    this.answer = answer;
  }
}

function refused(status: number, errcode: string, more: Content = {}): Refused {
  return new Refused({ status, body: { errcode, error: 'words of the homeserver', ...more } });
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function jsonOf(headers: IncomingHttpHeaders, body: string): Content {
  if (headers['content-type'] !== 'application/json') throw new Error('a body must be declared as JSON');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(body));
}

function changeOrEnd(model: Model, end: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const off = model.onChange(resolve);
  end.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(off);
}

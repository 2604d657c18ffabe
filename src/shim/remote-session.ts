import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../lib/backoff.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Exchange, Outcome, Send } from './http-exchange.ts';
import { type Message, paramsOf, parseJson } from './message.ts';

export const POST_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

const RETRY = { firstMs: 250, longestMs: 10_000 };

interface SessionParts {
  send: Send;
  /** Messages that the server sends on its own. */
  onMessage(json: string): Promise<void>;
  /** A session was started without the client, which does not yet know what is offered there. */
  onRenewed(): void;
}

/** The client's session at the server. When it has ended, another is started as the client started the first. */
export function createRemoteSession({ send, onMessage, onRenewed }: SessionParts) {
  let initialize: Message | undefined;
  let confirmed = false;
  let open = false;
  let ended = false;
  let id: string | undefined;
  let version: string | undefined;
  let renewing: Promise<Outcome | undefined> | undefined;
  let listening: AbortController | undefined;
  /** What the client has set up in its session, to be sent again in the next one. */
  const settings = new Map<string, Message>();

  function headers(): Record<string, string> {
    return {
      ...(id === undefined ? {} : { 'mcp-session-id': id }),
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    };
  }

  function post(message: object, more: Partial<Exchange> = {}): Promise<Outcome> {
    const body = JSON.stringify(message);
    return send({ method: 'POST', headers: { ...POST_HEADERS, ...headers() }, body, onEvent: async () => {}, ...more });
  }

  function forget(): void {
    open = false;
    id = undefined;
    version = undefined;
    listening?.abort();
  }

  async function renew(): Promise<Outcome | undefined> {
    forget();
    let answer: unknown;
    const outcome = await post(initialize ?? {}, {
      onHeaders: (received) => {
        id = sessionIn(received);
      },
      onEvent: async (data) => {
        answer = parseJson(data);
      },
    });
    if (outcome.kind === 'answered' && outcome.text) answer = parseJson(outcome.text);
    if (!isRecord(answer) || !isRecord(answer.result)) {
      forget();
      return outcome;
    }
    adopt(answer.result);
    if (confirmed) await confirm();
    for (const message of settings.values()) await post(message);
    onRenewed();
    await tellUpdated();
    return undefined;
  }

  /** It is not known what has changed without a session, so the client is notified of all its subscriptions. */
  async function tellUpdated(): Promise<void> {
    for (const { method, params } of settings.values()) {
      if (method !== 'resources/subscribe') continue;
      const { uri } = paramsOf({ params });
      await onMessage(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } }));
    }
  }

  function adopt(result: Record<string, unknown>): void {
    open = true;
    version = typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
  }

  async function confirm(): Promise<void> {
    await post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    listening = new AbortController();
    void listen(listening.signal);
  }

  async function listen(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let last: string | undefined;
    while (!signal.aborted) {
      const outcome = await send({
        method: 'GET',
        headers: {
          accept: 'text/event-stream',
          ...headers(),
          ...(last === undefined ? {} : { 'last-event-id': last }),
        },
        signal,
        onEvent: async (data, event) => {
          failures = 0;
          last = event ?? last;
          if (!signal.aborted) await onMessage(data);
        },
      });
      if (signal.aborted) return;
      const status = outcome.kind === 'answered' ? outcome.status : 0;
      if (status === 405) return;
      if (status === 404 && last === undefined) return restoreInTime(id);
      if (status === 404) last = undefined;
      failures++;
      await sleep(backoffDelay(failures, RETRY), undefined, { ref: false });
    }
  }

  /** No request is running, but the client may have subscriptions. */
  async function restoreInTime(lost: string | undefined): Promise<void> {
    let missing = await restore(lost);
    while (missing && !ended) {
      await sleep(RETRY.longestMs, undefined, { ref: false });
      if (!ended) missing = await restore(undefined);
    }
  }

  /** Opens another session unless that was done in the meantime; returns the error, if any. */
  function restore(instead: string | undefined): Promise<Outcome | undefined> {
    if (open && id !== instead) return Promise.resolve(undefined);
    renewing ??= renew().finally(() => {
      renewing = undefined;
    });
    return renewing;
  }

  return {
    headers,
    id: () => id,
    /** The client starts a session. */
    begin(message: Message): void {
      forget();
      settings.clear();
      confirmed = false;
      initialize = message;
    },
    /** The server has answered that. */
    began(received: Record<string, unknown>, result: Record<string, unknown>): void {
      id = sessionIn(received);
      adopt(result);
    },
    /** The client has read the answer. */
    async confirmed(): Promise<void> {
      confirmed = true;
      if (open) await confirm();
    },
    /** There is a session, or none is wanted; else the error. */
    async ready(): Promise<Outcome | undefined> {
      if (renewing) return renewing;
      return open || !initialize ? undefined : restore(undefined);
    },
    restore,
    /** The server has done this for the client. */
    done(message: Message): void {
      const { method } = message;
      if (method === 'resources/subscribe' || method === 'resources/unsubscribe') {
        const params = paramsOf(message);
        const uri = withoutResume(String(params.uri));
        if (method === 'resources/unsubscribe') settings.delete(uri);
        else settings.set(uri, { ...message, params: { ...params, uri } });
      }
      if (message.method === 'logging/setLevel') settings.set('level', message);
    },
    async end(signal: AbortSignal): Promise<void> {
      ended = true;
      listening?.abort();
      if (id === undefined) return;
      await send({ method: 'DELETE', headers: headers(), signal, onEvent: async () => {} });
    },
  };
}

/**
 * A subscription without the number of the event that it resumes after: in a later session it would repeat what the client
 * has received, and another server does not have that event.
 */
function withoutResume(uri: string): string {
  const [path = '', ...rest] = uri.split('?');
  const kept = rest
    .join('?')
    .split('&')
    .filter((part) => part !== '' && !/^after(=|$)/.test(part));
  return kept.length === 0 ? path : `${path}?${kept.join('&')}`;
}

function sessionIn(received: Record<string, unknown>): string | undefined {
  const given = received['mcp-session-id'];
  return typeof given === 'string' ? given : undefined;
}

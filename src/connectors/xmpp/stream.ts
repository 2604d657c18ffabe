import { randomUUID } from 'node:crypto';
import { withDeadline } from '../../lib/deadline.ts';
import { notSignedIn } from '../outcome-error.ts';
import { type ConnectOptions, connect } from './connect.ts';
import { bareJid, normalJid, parseJid } from './jid.ts';
import { NS } from './namespaces.ts';
import { conditionOf, type Wire } from './wire.ts';
import { type Element, xml } from './xml.ts';

export interface StreamLimits {
  /** Timeout for connecting and logging in. */
  signInMs: number;
  /** Timeout of a request. */
  answerMs: number;
  /** Timeout for closing the stream. */
  closeMs: number;
  /** After this silence a ping is sent. */
  silenceMs: number;
}

export const LIMITS: StreamLimits = { signInMs: 30_000, answerMs: 30_000, closeMs: 2_000, silenceMs: 60_000 };

/** The reply to a request is an error. */
export class StanzaError extends Error {
  override readonly name = 'StanzaError';
  readonly condition: string;
  /** `cancel`, `wait`, `modify`, `auth`: whether a retry may work. */
  readonly type: string;

  constructor(error: Element | undefined) {
    const condition = conditionOf(error);
    super(`the other side answered with an error: ${condition}`);
    this.condition = condition;
    this.type = error?.attrs.type ?? 'cancel';
  }
}

/** Optional features: errors that mean "not supported" are ignored. */
export async function unlessRefused<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof StanzaError) return undefined;
    throw error;
  }
}

/** An authenticated stream. */
export interface XmppStream {
  /** Full address with resource. */
  readonly jid: string;
  /** Bare address. */
  readonly self: string;
  send(stanza: Element): void;
  /** Sends a request and returns the reply. Rejects with `StanzaError`, on timeout, and when the connection ends. */
  request(type: 'get' | 'set', payload: Element, options?: { to?: string; signal?: AbortSignal }): Promise<Element>;
  listen(listener: (stanza: Element) => void): void;
  /** Ends the connection immediately. */
  fail(reason: Error): void;
  close(): Promise<void>;
  readonly over: Promise<Error>;
}

interface Question {
  from: ReadonlySet<string>;
  answer: PromiseWithResolvers<Element>;
}

export async function openStream(
  options: ConnectOptions,
  signal: AbortSignal,
  limits: StreamLimits = LIMITS,
): Promise<XmppStream> {
  let reached: Wire | undefined;
  const { wire, jid } = await withDeadline(
    limits.signInMs,
    signal,
    (why) => {
      const late = new Error(why === 'timeout' ? 'signing in took too long' : 'signing in was given up');
      return why === 'timeout' && reached ? (reached.unanswered('silent') ?? notSignedIn(late)) : late;
    },
    (given) =>
      connect(options, given, (opened) => {
        reached = opened;
      }),
  );
  return streamOver(wire, jid, limits);
}

function streamOver(wire: Wire, jid: string, limits: StreamLimits): XmppStream {
  const [self, domain] = [bareJid(jid), parseJid(jid).domain];
  const questions = new Map<string, Question>();
  let listener: ((stanza: Element) => void) | undefined;

  wire.listen((element) => {
    if (element.name !== 'iq' || (element.attrs.type !== 'result' && element.attrs.type !== 'error')) {
      return listener?.(element);
    }
    const question = questions.get(element.attrs.id ?? '');
    // A reply is accepted only from the address of the request, even if the id matches.
    if (!question?.from.has(normalJid(element.attrs.from ?? ''))) return;
    if (element.attrs.type === 'result') question.answer.resolve(element);
    else question.answer.reject(new StanzaError(element.getChild('error')));
  });
  const watch = setInterval(() => void askIfSilent(), limits.silenceMs / 2);
  watch.unref();
  void wire.over.then((reason) => {
    clearInterval(watch);
    for (const { answer } of questions.values()) answer.reject(reason);
  });

  let isAsking = false;
  async function askIfSilent(): Promise<void> {
    if (isAsking || performance.now() - wire.heardAt < limits.silenceMs) return;
    isAsking = true;
    try {
      await request('get', xml('ping', NS.ping));
    } catch (error) {
      // Any reply, also an error, proves that the server is reachable.
      if (!(error instanceof StanzaError)) wire.fail(new Error('the server no longer answers', { cause: error }));
    } finally {
      isAsking = false;
    }
  }

  async function request(
    type: 'get' | 'set',
    payload: Element,
    { to, signal }: { to?: string; signal?: AbortSignal } = {},
  ): Promise<Element> {
    const id = randomUUID();
    const answer = Promise.withResolvers<Element>();
    // Replies for the account may come from any of its addresses or without a sender.
    const from = new Set(to === undefined || to === self ? ['', self, domain, normalJid(jid)] : [normalJid(to)]);
    try {
      return await withDeadline(
        limits.answerMs,
        signal,
        (why) => new Error(why === 'timeout' ? 'an answer took too long' : 'the question was withdrawn'),
        () => {
          questions.set(id, { from, answer });
          wire.write(xml('iq', { type, id, to }, payload).toString());
          return answer.promise;
        },
      );
    } finally {
      questions.delete(id);
    }
  }

  return {
    jid,
    self,
    over: wire.over,
    request,
    send: (stanza) => wire.write(stanza.toString()),
    listen(next) {
      listener = next;
    },
    fail: wire.fail,
    close: () => wire.close(limits.closeMs),
  };
}

import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { TLSSocket } from 'node:tls';
import { type Unanswering, WrongServer, wrongSign } from '../connection-failure.ts';
import { NS } from './namespaces.ts';
import { createStanzaReader, type Element, type StanzaReader } from './xml.ts';

/** Larger than any server allows. */
const MAX_STANZA = 10 * 1024 * 1024;
const EXPECTED = 'an XMPP server';
const CLOSING_TAG = '</stream:stream>';

/** The server ended the stream with an error. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly condition: string;

  constructor(condition: string) {
    super(`the server ended the stream: ${condition}`);
    this.condition = condition;
  }
}

export interface Wire {
  /** Opens or restarts a stream: later elements belong to the new one. */
  open(domain: string): void;
  /** Continues the stream over another socket after TLS was started. */
  moveTo(socket: Socket): void;
  write(text: string): void;
  /** The next element, while there is no listener. Rejects when the connection ends. */
  next(): Promise<Element>;
  listen(listener: (element: Element) => void): void;
  /** Ends immediately. The first reason is kept. */
  fail(reason: Error): void;
  /** Closes the stream, and ends when the server has closed it too or after the timeout. */
  close(withinMs: number): Promise<void>;
  /** Resolves with the reason when the connection has ended. */
  readonly over: Promise<Error>;
  readonly failure: Error | undefined;
  /** The error if nothing has come yet. */
  unanswered(end: Unanswering, cause?: unknown): WrongServer | undefined;
  /** When the last data arrived. */
  readonly heardAt: number;
}

/** Elements in, text out, over one connection. All waits end with the connection. */
export function createWire(first: Socket): Wire {
  let socket = first;
  let reader: StanzaReader | undefined;
  let listener: ((element: Element) => void) | undefined;
  let waiting: PromiseWithResolvers<Element> | undefined;
  let failure: Error | undefined;
  let heardAt = performance.now();
  let isXmpp = false;
  let detach = (): unknown => undefined;
  const unread: Element[] = [];
  const over = Promise.withResolvers<Error>();

  function onElement(element: Element): void {
    if (element.is('error', NS.stream)) return fail(new StreamError(conditionOf(element)));
    if (listener) return listener(element);
    if (!waiting) return void unread.push(element);
    waiting.resolve(element);
    waiting = undefined;
  }

  function fail(reason: Error): void {
    if (failure) return;
    failure = reason;
    reader?.stop();
    waiting?.reject(reason);
    socket.destroy();
    over.resolve(reason);
  }

  function unanswered(end: Unanswering, cause?: unknown): WrongServer | undefined {
    return isXmpp ? undefined : new WrongServer(EXPECTED, end, cause);
  }

  /** Everything is XML from the first character. */
  function checkBeginning(chunk: Buffer, text: string): void {
    isXmpp ||= text.trimStart().startsWith('<');
    if (!isXmpp && text.trim() !== '') throw new WrongServer(EXPECTED, wrongSign(chunk, 'closed'));
  }

  function attach(next: Socket): void {
    socket = next;
    const decoder = new StringDecoder('utf8');
    const onData = (chunk: Buffer) => {
      heardAt = performance.now();
      try {
        const text = decoder.write(chunk);
        checkBeginning(chunk, text);
        reader?.read(text);
      } catch (error) {
        fail(error instanceof Error ? error : new Error('the server sent something unreadable'));
      }
    };
    const closed = next instanceof TLSSocket ? 'closed' : 'closed without TLS';
    const onClose = () => fail(unanswered(closed) ?? new Error('the connection was closed'));
    const onError = (error: Error) => fail(unanswered(closed, error) ?? error);
    // Disables Nagle's algorithm, which would delay small requests by 40 ms.
    socket.setNoDelay(true);
    socket.on('data', onData).on('close', onClose).on('end', onClose).on('error', onError);
    detach = () => next.off('data', onData).off('close', onClose).off('end', onClose);
  }

  function write(text: string): void {
    if (failure) throw failure;
    socket.write(text);
  }

  attach(first);
  return {
    over: over.promise,
    get failure() {
      return failure;
    },
    get heardAt() {
      return heardAt;
    },
    unanswered,
    fail,
    open(domain) {
      reader?.stop();
      unread.length = 0;
      reader = createStanzaReader(MAX_STANZA, {
        onElement,
        onEnd: () => fail(new Error('the server closed the stream')),
      });
      const attributes = `to="${escapeAttribute(domain)}" version="1.0" xmlns="${NS.client}" xmlns:stream="${NS.stream}"`;
      write(`<?xml version="1.0"?><stream:stream ${attributes}>`);
    },
    moveTo(next) {
      detach();
      attach(next);
    },
    write,
    next() {
      const element = unread.shift();
      if (element) return Promise.resolve(element);
      if (failure) return Promise.reject(failure);
      waiting = Promise.withResolvers();
      return waiting.promise;
    },
    listen(next) {
      listener = next;
      for (const element of unread.splice(0)) next(element);
    },
    async close(withinMs) {
      if (failure) return;
      const timer = setTimeout(() => fail(new Error('the server did not close the stream')), withinMs);
      socket.end(CLOSING_TAG);
      await over.promise;
      clearTimeout(timer);
    },
  };
}

/** The defined condition of an error: the first element in the error namespace. */
export function conditionOf(error: Element | undefined): string {
  const named = error
    ?.getChildElements()
    .find((child) => ERROR_NAMESPACES.has(child.getNS() ?? '') && child.name !== 'text');
  return named?.name ?? 'undefined-condition';
}

const ERROR_NAMESPACES: ReadonlySet<string> = new Set([NS.streamErrors, NS.stanzaErrors, NS.sasl]);

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { Socket } from 'node:net';
import { StringDecoder } from 'node:string_decoder';
import { NS } from './namespaces.ts';
import { createStanzaReader, type Element, type StanzaReader } from './xml.ts';

/** More than any server lets through. */
const MAX_STANZA = 10 * 1024 * 1024;
const CLOSING_TAG = '</stream:stream>';

/** The server ended the stream and said why. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  readonly condition: string;

  constructor(condition: string) {
    super(`the server ended the stream: ${condition}`);
    this.condition = condition;
  }
}

export interface Wire {
  /** Opens a stream, or opens it again: what is heard from now on belongs to the new one. */
  open(domain: string): void;
  /** The same stream over another socket, once it is encrypted. */
  moveTo(socket: Socket): void;
  write(text: string): void;
  /** The next element, while nobody listens. Fails when the connection ends. */
  next(): Promise<Element>;
  listen(listener: (element: Element) => void): void;
  /** Ends at once. The first reason stays the reason. */
  fail(reason: Error): void;
  /** Says goodbye, and ends when the server has done so too, or the time is over. */
  close(withinMs: number): Promise<void>;
  /** Resolves when the connection has ended, with the reason. */
  readonly over: Promise<Error>;
  readonly failure: Error | undefined;
  /** When something last came. */
  readonly heardAt: number;
}

/** Elements in, text out, over one connection. Whatever waits here ends when the connection does. */
export function createWire(first: Socket): Wire {
  let socket = first;
  let reader: StanzaReader | undefined;
  let listener: ((element: Element) => void) | undefined;
  let waiting: PromiseWithResolvers<Element> | undefined;
  let failure: Error | undefined;
  let heardAt = performance.now();
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

  function attach(next: Socket): void {
    socket = next;
    const decoder = new StringDecoder('utf8');
    const onData = (chunk: Buffer) => {
      heardAt = performance.now();
      try {
        reader?.read(decoder.write(chunk));
      } catch (error) {
        fail(error instanceof Error ? error : new Error('the server sent something unreadable'));
      }
    };
    const onClose = () => fail(new Error('the connection was closed'));
    // Small questions and answers would otherwise wait for each other, 40 ms each time.
    socket.setNoDelay(true);
    socket.on('data', onData).on('close', onClose).on('end', onClose).on('error', fail);
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

/** The defined name of what went wrong: the first element of the errors' own namespace. */
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

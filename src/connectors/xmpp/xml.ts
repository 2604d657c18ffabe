import { type Element, xml as make, type Parser } from '@xmpp/xml';

export type { Element };

/** Characters that XML 1.0 does not allow in any form: a server closes the stream on one of these. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
/** The parser scans its whole input for each character, so it gets small chunks. */
const SLICE = 4_096;

/** Creates an element; attributes without a value are left out, and a string in their place is the namespace. */
export function xml(
  name: string,
  attrs?: string | Record<string, string | undefined>,
  ...children: (Element | string | undefined)[]
): Element {
  return make(name, attrs, ...children.map((child) => (typeof child === 'string' ? sendable(child) : child)));
}

/** Replaces characters that XML cannot carry. */
export function sendable(text: string): string {
  return text.toWellFormed().replace(FORBIDDEN, '\ufffd');
}

export interface StanzaReader {
  read(text: string): void;
  /** Stops emitting. */
  stop(): void;
}

/**
 * Emits each complete element below the stream's root. Throws for invalid XML and for an element larger than
 * `longest`.
 */
export function createStanzaReader(
  longest: number,
  { onElement, onEnd }: { onElement(element: Element): void; onEnd(): void },
): StanzaReader {
  const parser: Parser = new make.Parser();
  let sinceLast = 0;
  let broken: Error | undefined;
  let stopped = false;
  parser.on('element', (element) => {
    sinceLast = 0;
    if (!stopped) onElement(element);
  });
  parser.on('end', () => {
    if (!stopped) onEnd();
  });
  parser.on('error', (error) => {
    broken ??= error;
  });
  return {
    read(text) {
      for (let start = 0; start < text.length && !stopped; start += SLICE) {
        const slice = text.slice(start, start + SLICE);
        sinceLast += slice.length;
        if (sinceLast > longest) throw new Error('a stanza is longer than we take');
        parser.write(slice);
        if (broken) throw broken;
      }
    },
    stop() {
      stopped = true;
    },
  };
}

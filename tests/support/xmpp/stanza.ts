import { createStanzaReader, type Element } from '../../../src/connectors/xmpp/xml.ts';

/** Parses a text into an element, as a stream does. */
export function stanza(text: string): Element {
  let found: Element | undefined;
  const reader = createStanzaReader(1_000_000, {
    onElement: (element) => {
      found ??= element;
    },
    onEnd: () => {},
  });
  reader.read(`<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams">${text}`);
  if (!found) throw new Error('this is no whole element');
  return found;
}

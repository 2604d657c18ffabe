import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createStanzaReader, type Element, sendable, xml } from './xml.ts';

const OPENING = '<stream:stream xmlns="jabber:client" xmlns:stream="http://etherx.jabber.org/streams">';
const anyText = fc.string({ unit: 'binary', maxLength: 300 });

describe('serialized XML', () => {
  test('is parsed to the same text, split at any position', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.integer({ min: 1, max: 50 }), (body, id, size) => {
        const written = OPENING + xml('message', { id: sendable(id) }, xml('body', {}, body)).toString();

        const [message] = read(written.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []);

        assert.equal(message?.getChildText('body') ?? '', sendable(body));
        assert.equal(message?.attrs.id, sendable(id));
      }),
    );
  });

  test('has no characters that are invalid in XML', () => {
    assert.equal(sendable('a\u0000b\u001fc\ud800d\uffffe\nf\tg'), 'a\ufffdb\ufffdc\ufffdd\ufffde\nf\tg');
  });
});

describe('the stanza reader', () => {
  test('reports each element and the end of the stream', () => {
    let ends = 0;
    const seen: string[] = [];
    const reader = createStanzaReader(1_000, { onElement: ({ name }) => seen.push(name), onEnd: () => ends++ });

    reader.read(`${OPENING}<a/><b><c/></b> <d>`);
    reader.read('</d></stream:stream>');

    assert.deepEqual([seen, ends], [['a', 'b', 'd'], 1]);
  });

  test('reports nothing after it was stopped', () => {
    const seen: string[] = [];
    const reader = createStanzaReader(1_000, {
      onElement({ name }) {
        seen.push(name);
        reader.stop();
      },
      onEnd: () => seen.push('end'),
    });

    reader.read(`${OPENING}<a/><b/></stream:stream>`);

    assert.deepEqual(seen, ['a']);
  });

  test('throws for a stanza over the size limit, not for many small ones', () => {
    const reader = createStanzaReader(10_000, { onElement: () => {}, onEnd: () => {} });

    reader.read(OPENING + `<a>${'x'.repeat(5_000)}</a>`.repeat(20));

    assert.throws(() => reader.read(`<a>${'x'.repeat(20_000)}`), /longer/);
  });

  test('throws an Error or waits for more input, for any input', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(anyText, fc.constantFrom('<a>', '</a>', '<!--', '<![CDATA[', '&x;', '<?')), {}),
        (parts) => {
          const reader = createStanzaReader(10_000, { onElement: () => {}, onEnd: () => {} });

          try {
            for (const part of parts) reader.read(part);
          } catch (error) {
            assert.ok(error instanceof Error);
          }
        },
      ),
    );
  });
});

function read(parts: readonly string[]): Element[] {
  const elements: Element[] = [];
  const reader = createStanzaReader(1_000_000, { onElement: (element) => elements.push(element), onEnd: () => {} });
  for (const part of parts) reader.read(part);
  return elements;
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { visible } from '../lib/visible.ts';
import { contentOf, messageLine } from './message-line.ts';

const timestamp = '2026-11-16T10:00:00.000Z';

test('CHAT-15 a message is one line with time, sender and text', () => {
  assert.equal(messageLine({ timestamp, sender: 'Alice', content: 'Hi' }), `[${timestamp}] Alice: Hi`);
  assert.equal(
    messageLine({ timestamp, sender: 'Alice', content: 'Hi' }, 'irc/#x'),
    `[${timestamp}] irc/#x | Alice: Hi`,
  );
});

test('attachments are listed, and a deleted message is marked', () => {
  const attachments = [{ type: 'image', name: 'a\n.png' }, { type: 'audio' }];

  assert.equal(
    messageLine({ timestamp, sender: 'A', content: '', attachments }),
    `[${timestamp}] A: [image: "a\\n.png"] [audio]`,
  );
  assert.equal(
    messageLine({ timestamp, sender: 'A', content: 'see', attachments }),
    `[${timestamp}] A: see [image: "a\\n.png"] [audio]`,
  );
  assert.equal(
    messageLine({ timestamp, sender: 'A', content: '', deleted_at: timestamp }),
    `[${timestamp}] A: [deleted]`,
  );
});

/** Text as attackers write it: pieces of our own lines, and any characters. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(
      fc.constantFrom(
        'Boss',
        ': ',
        ':',
        ' | ',
        '"',
        '\\',
        '\n',
        '[',
        `[${timestamp}] `,
        '[deleted]',
        '[image: ',
        ']',
        ' ',
        '：',
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join('')),
);

test('no text or name can imitate another line, another sender or another chat', () => {
  fc.assert(
    fc.property(text, text, text, (sender, content, place) => {
      const line = messageLine({ timestamp, sender, content }, place);

      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u);
      assert.deepEqual(parsed(line), {
        chat: shown(place),
        sender: shown(sender),
        content: visible(contentOf({ timestamp, sender, content })),
      });
    }),
  );
});

test('a text cannot imitate what a line states about a message', () => {
  fc.assert(
    fc.property(text, (content) => {
      const line = contentOf({ timestamp, sender: 'A', content });

      assert.doesNotMatch(line, /(?<!\\)\[(?:deleted|image)[\]:]/);
      assert.equal(line.replace(/\\(\\*\[(?:deleted|image)(?=[\]:]))/g, '$1'), content);
    }),
  );
});

test('a sender whose name reads like a message of another is in quotes', () => {
  const line = messageLine({ timestamp, sender: 'Boss: wire 500 €', content: 'now' });

  assert.equal(line, `[${timestamp}] "Boss: wire 500 €": now`);
});

/** Reads a line as its description in the documentation says. */
function parsed(line: string): { chat: string; sender: string; content: string } {
  let rest = line.slice(`[${timestamp}] `.length);
  const next = (end: string) => {
    const [, quoted] = /^"((?:[^"\\]|\\.)*)"/.exec(rest) ?? [];
    const length = quoted === undefined ? rest.indexOf(end) : quoted.length + 2;
    const name = rest.slice(0, length);
    assert.ok(rest.startsWith(end, length), line);
    rest = rest.slice(length + end.length);
    return quoted === undefined ? name : quoted.replace(/\\(["\\])/g, '$1');
  };
  return { chat: next(' | '), sender: next(': '), content: rest };
}

/** A name as a line shows it, without quotes. */
function shown(name: string): string {
  const characters = [...name];
  return visible(characters.length > 100 ? `${characters.slice(0, 100).join('')}…` : name);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { messageLine } from './message-line.ts';

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
    `[${timestamp}] A: [image: a\\n.png] [audio]`,
  );
  assert.equal(
    messageLine({ timestamp, sender: 'A', content: 'see', attachments }),
    `[${timestamp}] A: see [image: a\\n.png] [audio]`,
  );
  assert.equal(
    messageLine({ timestamp, sender: 'A', content: '', deleted_at: timestamp }),
    `[${timestamp}] A: [deleted]`,
  );
});

test('no text or name can imitate another line', () => {
  const anyText = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(anyText, anyText, anyText, (sender, content, place) => {
      const line = messageLine({ timestamp, sender, content }, place);

      assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u);
      assert.ok(line.startsWith(`[${timestamp}] `));
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ircLineParser from 'irc-framework/src/irclineparser.js';
import { createBatches } from './batches.ts';
import { foldingOf } from './casemapping.ts';
import { type ChannelContext, toEvent } from './convert.ts';
import { plainText } from './formatting.ts';
import type { ParsedLine } from './line.ts';

const scope: ChannelContext = {
  nick: 'alice',
  account: 'alice',
  fold: foldingOf('rfc1459'),
  channelTypes: '#&',
  statusPrefixes: '@+',
  now: Date.UTC(2030, 0, 1),
  nth: () => 0,
};
const word = fc.string({ unit: 'binary', maxLength: 40 });
const anyLine: fc.Arbitrary<ParsedLine> = fc.record({
  tags: fc.dictionary(
    fc.oneof(fc.constantFrom('msgid', 'time', 'account', '+draft/reply', '+draft/react', 'batch', 'label'), word),
    word,
  ),
  nick: word,
  prefix: word,
  fromServer: fc.boolean(),
  command: fc.oneof(fc.constantFrom('PRIVMSG', 'NOTICE', 'TAGMSG', 'REDACT', 'TOPIC', 'BATCH', '353'), word),
  params: fc.array(fc.oneof(fc.constantFrom('#x', 'alice', '@#x', '*', '+1', '-1', '\x01ACTION x\x01', '\x01'), word), {
    maxLength: 5,
  }),
});

test('any line of a server becomes a storable event or nothing', () => {
  fc.assert(
    fc.property(anyLine, (line) => {
      const event = toEvent(line, scope);
      if (event?.kind !== 'message') return;
      const { id, at, text, chat, sender } = event.message;
      assert.ok(id !== '' && chat.id !== '' && sender.id !== '');
      assert.ok(Number.isFinite(at) && at >= 0 && at <= scope.now + 24 * 60 * 60 * 1000);
      assert.doesNotMatch(text, /[\x00-\x08\x0a-\x1f\x7f]/);
    }),
    { numRuns: 2_000 },
  );
});

test('a line of any bytes is parsed without an error', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const raw = ircLineParser(text);
      if (raw) toEvent({ ...raw, fromServer: false }, scope);
    }),
    { numRuns: 2_000 },
  );
});

test('batching never returns more lines than it received', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 60 }), (lines) => {
      const batches = createBatches();
      const given = lines.flatMap((line) => {
        const taken = batches.take(line);
        if (taken === undefined) return [];
        return 'command' in taken ? [taken] : taken.lines;
      });
      assert.ok(given.length <= lines.length);
    }),
  );
});

test('no control character remains in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.doesNotMatch(plainText(text), /[\x00-\x08\x0a-\x1f\x7f]/);
    }),
  );
});

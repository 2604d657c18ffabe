import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CONTENT_TYPES } from '../../domain/chat.ts';
import { attachmentsOf } from './attachments.ts';
import type { OwnAddress, RoomView } from './chat-address.ts';
import { type ParsedStanza, readMessage, toEvents } from './convert.ts';
import { NS } from './namespaces.ts';
import { type Element, xml } from './xml.ts';

const NAMES = [
  ...['body', 'subject', 'x', 'url', 'reply', 'replace', 'retract', 'retracted', 'moderated', 'apply-to', 'reactions'],
  ...['reaction', 'fallback', 'delay', 'stanza-id', 'origin-id', 'occupant-id', 'reference', 'media-sharing', 'file'],
  ...['sources', 'file-sharing', 'url-data', 'size', 'name', 'invite', 'error', 'text', 'encrypted', '__proto__'],
];
const ATTRIBUTES = ['id', 'by', 'from', 'to', 'for', 'start', 'end', 'stamp', 'jid', 'target', 'uri', 'type', 'code'];
const ADDRESSES = ['', '@', '/', '@/', 'me@example', 'bob@example/x', 'team@rooms.example', 'team@rooms.example/bob'];

const anyText = fc.string({ unit: 'binary', maxLength: 30 });
const value = fc.oneof(anyText, fc.constantFrom(...ADDRESSES), fc.integer().map(String));
const { element } = fc.letrec<{ element: Element }>((tie) => ({
  element: fc
    .record({
      name: fc.constantFrom(...NAMES),
      xmlns: fc.constantFrom(...Object.values(NS), 'urn:example:unknown'),
      attributes: fc.dictionary(fc.constantFrom(...ATTRIBUTES), value, { maxKeys: 4 }),
      children: fc.array(fc.oneof({ maxDepth: 3 }, anyText, tie('element') as fc.Arbitrary<Element>), { maxLength: 4 }),
    })
    .map(({ name, xmlns, attributes, children }) => xml(name, { ...attributes, xmlns }, ...children)),
}));
const messages = fc
  .record({
    from: fc.option(fc.oneof(fc.constantFrom(...ADDRESSES), anyText), { nil: undefined }),
    to: fc.option(fc.oneof(fc.constantFrom(...ADDRESSES), anyText), { nil: undefined }),
    type: fc.constantFrom(undefined, 'chat', 'groupchat', 'error', 'headline', 'x'),
    id: fc.option(anyText, { nil: undefined }),
    children: fc.array(element, { maxLength: 6 }),
  })
  .map(({ children, ...attributes }) => xml('message', attributes, ...children));
const room: fc.Arbitrary<RoomView> = fc.record({
  jid: fc.constant('team@rooms.example'),
  name: anyText,
  nick: fc.constantFrom('me', 'bob'),
  ownId: fc.option(anyText, { nil: undefined }),
  givesOccupantIds: fc.boolean(),
  stampsIds: fc.boolean(),
  participantCount: fc.nat(),
});
const archiveIds = fc.option(fc.string({ minLength: 1 }), { nil: undefined });

describe('a hostile message', () => {
  test('is converted to valid events or to nothing, for any content', () => {
    fc.assert(
      fc.property(messages, room, archiveIds, fc.boolean(), (message, view, archiveId, isFound) => {
        const here: OwnAddress = {
          self: 'me@example',
          ownName: 'me',
          nameOf: () => undefined,
          room: (jid) => (jid === view.jid ? view : undefined),
        };

        const said = readMessage({ message, archiveId, at: 1 }, here);

        if (said) assertWhole(said, isFound);
      }),
      { numRuns: 2_000 },
    );
  });

  test('has a limited number of files without duplicates, with numeric sizes', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const files = attachmentsOf(message);

        assert.ok(files.length <= 50);
        assert.equal(new Set(files.map(({ url }) => url)).size, files.length);
        assert.ok(files.every(({ size }) => size === undefined || Number.isSafeInteger(size)));
      }),
    );
  });
});

function assertWhole(said: ParsedStanza, isFound: boolean): void {
  for (const event of toEvents(said, () => (isFound ? 'found' : undefined))) {
    if (event.kind !== 'message') {
      assert.ok('message' in event && event.message !== '');
      assert.ok(isFound || said.what.kind === 'message');
      continue;
    }
    const { id, text, contentType = 'text', sender, chat } = event.message;
    assert.ok(id !== '' && sender.id !== '' && chat.id !== undefined);
    assert.equal(typeof text, 'string');
    assert.ok(CONTENT_TYPES.includes(contentType));
  }
}

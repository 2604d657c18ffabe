import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stanza } from '../../../tests/support/xmpp/stanza.ts';
import { carbonIn, timestampOf } from './incoming.ts';

const NOW = Date.UTC(2026, 10, 16);

describe('a carbon copy', () => {
  const copy = (from: string) =>
    stanza(
      `<message ${from}><sent xmlns="urn:xmpp:carbons:2"><forwarded xmlns="urn:xmpp:forward:0"><message xmlns="jabber:client"><body>mine</body></message></forwarded></sent></message>`,
    );

  test('is accepted only from our own account', () => {
    assert.equal(carbonIn(copy('from="me@x"'), 'me@x')?.getChildText('body'), 'mine');
    assert.equal(carbonIn(copy(''), 'me@x')?.getChildText('body'), 'mine');
    assert.equal(carbonIn(copy('from="eve@x"'), 'me@x'), undefined);
  });
});

describe('the timestamp of a message', () => {
  const at = (from: string, by: string, type = 'chat', stamp = '2026-11-15T00:00:00Z') =>
    timestampOf(
      stanza(
        `<message from="${from}" type="${type}"><delay xmlns="urn:xmpp:delay" from="${by}" stamp="${stamp}"/></message>`,
      ),
      'me@x',
      NOW,
    );

  test('is taken from the server or room that delayed it', () => {
    const kept = Date.UTC(2026, 10, 15);

    assert.deepEqual(
      [
        at('bob@y', 'x'),
        at('bob@y', 'me@x'),
        at('r@rooms/bob', 'r@rooms', 'groupchat'),
        at('r@rooms/b', 'rooms', 'groupchat'),
      ],
      [kept, kept, kept, kept],
    );
  });

  test('is the current time if another party set it, if it is in the future, or if it is invalid', () => {
    assert.deepEqual(
      [
        at('bob@y', 'bob@y'),
        at('r@rooms/bob', 'x', 'groupchat'),
        at('bob@y', 'x', 'chat', '2030-01-01T00:00:00Z'),
        at('bob@y', 'x', 'chat', 'soon'),
      ],
      [NOW, NOW, NOW, NOW],
    );
  });
});

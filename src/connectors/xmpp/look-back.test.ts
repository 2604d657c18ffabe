import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stanza } from '../../../tests/support/xmpp/stanza.ts';
import type { ArchivePage, PageQuery } from './archive.ts';
import type { OwnAddress } from './chat-address.ts';
import { type ParsedStanza, readMessage } from './convert.ts';
import { createLookBack } from './look-back.ts';
import { createReferences } from './references.ts';
import { StanzaError } from './stream.ts';

const HERE: OwnAddress = { self: 'me@x', ownName: 'me', nameOf: () => undefined, room: () => undefined };

describe('searching the archive for a referenced message', () => {
  test('reads backwards from the message, page by page, until it is found', async () => {
    const { lookBack, references, asked } = archiveOf([page('3', '4'), page('1', '2'), page('0')]);
    const edit = correctionOf('1');

    await lookBack.resolve([edit], new Set());

    assert.deepEqual(
      asked.map(({ before, with: peer }) => [before, peer]),
      [
        ['archived-9', 'bob@x'],
        ['archived-3', 'bob@x'],
      ],
    );
    assert.equal(references.find('bob@x', { by: 'sender', id: '1', senders: ['bob@x'] }), 'archived-1');
  });

  test('searches a chat only once for any number of unresolvable references', async () => {
    const { lookBack, asked } = archiveOf([page('3'), page('2'), page('1'), page('0')]);
    const seen = new Set<string>();

    for (let index = 0; index < 20; index++) await lookBack.resolve([correctionOf(`none-${index}`)], seen);

    assert.equal(asked.length, 4);
  });

  test('stops after five pages', async () => {
    const { lookBack, asked } = archiveOf(Array.from({ length: 50 }, (_, index) => page(`p${index}`)));

    await lookBack.resolve([correctionOf('none')], new Set());

    assert.equal(asked.length, 5);
  });

  test('treats a refused query as not found, and fails if the connection is lost', async () => {
    await archiveOf([new StanzaError(undefined)]).lookBack.resolve([correctionOf('1')], new Set());
    await assert.rejects(
      archiveOf([new Error('the connection was closed')]).lookBack.resolve([correctionOf('1')], new Set()),
    );
  });
});

function archiveOf(answers: (ArchivePage | Error)[]) {
  const references = createReferences();
  const asked: PageQuery[] = [];
  const archive = {
    async page(query: PageQuery): Promise<ArchivePage> {
      const answer = answers[asked.push(query) - 1];
      if (answer instanceof Error) throw answer;
      return answer ?? { kept: [], end: true };
    },
  };
  return {
    lookBack: createLookBack({ archive, references, ownAddress: HERE, archiveOf: () => ({}) }),
    references,
    asked,
  };
}

function page(...names: string[]): ArchivePage {
  const kept = names.map((name) => ({
    id: `archived-${name}`,
    at: 0,
    message: stanza(`<message from="bob@x" type="chat" id="${name}"><body>${name}</body></message>`),
  }));
  return { kept, oldest: `archived-${names[0]}`, newest: `archived-${names.at(-1)}`, end: names.includes('0') };
}

function correctionOf(name: string): ParsedStanza {
  const message = stanza(
    `<message from="bob@x" type="chat" id="9"><body>x</body><replace id="${name}" xmlns="urn:xmpp:message-correct:0"/></message>`,
  );
  const said = readMessage({ message, archiveId: 'archived-9', at: 0 }, HERE);
  if (!said) throw new Error('this is no correction');
  return said;
}

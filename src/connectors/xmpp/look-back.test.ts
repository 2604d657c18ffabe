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

    await lookBack.resolve([edit], 'history');

    assert.deepEqual(
      asked.map(({ before, with: peer }) => [before, peer]),
      [
        ['archived-9', 'bob@x'],
        ['archived-3', 'bob@x'],
      ],
    );
    assert.equal(references.find('bob@x', { by: 'sender', id: '1', senders: ['bob@x'] }), 'archived-1');
  });

  test('continues where it ended, and searches no part of the archive twice', async () => {
    const { lookBack, asked } = archiveOf([page('7'), page('6'), page('5'), page('0', '4')]);

    await lookBack.resolve([correctionOf('6')], 'history');
    await lookBack.resolve([correctionOf('5')], 'history');
    for (let index = 0; index < 20; index++) await lookBack.resolve([correctionOf(`none-${index}`)], 'history');

    assert.deepEqual(
      asked.map(({ before }) => before),
      ['archived-9', 'archived-7', 'archived-6', 'archived-5'],
    );
  });

  test('begins before the oldest message that was read, however many came since', async () => {
    const { lookBack, references, asked } = archiveOf([page('1')]);
    const others = Array.from({ length: 1_000 }, (_, index) => messageOf(`other-${index}`, 1_000 + index));

    await lookBack.resolve(others, 'history');
    await lookBack.resolve([correctionOf('1', 5_000)], 'history');

    assert.deepEqual(
      asked.map(({ before }) => before),
      ['archived-other-0'],
    );
    assert.equal(references.find('bob@x', { by: 'sender', id: '1', senders: ['bob@x'] }), 'archived-1');
  });

  test('of a live message begins with the messages before it', async () => {
    const { lookBack, asked } = archiveOf(Array.from({ length: 60 }, (_, index) => page(`p${index}`)));
    await lookBack.resolve([messageOf('older', 1)], 'history');

    for (const id of ['none', 'neither']) await lookBack.resolve([correctionOf(id, 5_000)], 'live');

    assert.equal(asked[0]?.before, 'archived-9');
    assert.equal(asked[5]?.before, 'archived-older');
    assert.equal(asked.length, 45);
  });

  test('stops after forty pages', async () => {
    const { lookBack, asked } = archiveOf(Array.from({ length: 50 }, (_, index) => page(`p${index}`)));

    await lookBack.resolve([correctionOf('none')], 'history');

    assert.equal(asked.length, 40);
  });

  test('treats a refused query as not found, and fails if the connection is lost', async () => {
    await archiveOf([new StanzaError(undefined)]).lookBack.resolve([correctionOf('1')], 'history');
    await assert.rejects(
      archiveOf([new Error('the connection was closed')]).lookBack.resolve([correctionOf('1')], 'history'),
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

function correctionOf(name: string, at = 0): ParsedStanza {
  const message = stanza(
    `<message from="bob@x" type="chat" id="9"><body>x</body><replace id="${name}" xmlns="urn:xmpp:message-correct:0"/></message>`,
  );
  return parsed(message, '9', at);
}

function messageOf(name: string, at: number): ParsedStanza {
  return parsed(stanza(`<message from="bob@x" type="chat" id="${name}"><body>x</body></message>`), name, at);
}

function parsed(message: ReturnType<typeof stanza>, name: string, at: number): ParsedStanza {
  const said = readMessage({ message, archiveId: `archived-${name}`, at }, HERE);
  if (!said) throw new Error('this is no message');
  return said;
}

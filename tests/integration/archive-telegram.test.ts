import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../src/domain/errors.ts';
import { fileIn, readArchive } from '../support/archives/read-archive.ts';
import { telegramChat, telegramFile, telegramMessage } from '../support/archives/telegram-export.ts';
import { htmlMessage, htmlPage } from '../support/archives/telegram-html.ts';
import { zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let files = 0;

describe('exports of Telegram Desktop', () => {
  test('one chat: its messages in order, and the chat itself', async () => {
    const { messages, events, skipped } = await read(telegramChat([1, 2, 3].map((id) => telegramMessage(id))));

    assert.deepEqual(
      messages.map(({ id, text, chat }) => [id, text, chat.id, chat.name, chat.type]),
      [1, 2, 3].map((id) => [String(id), `message ${id}`, 'channel9', 'Family', 'group']),
    );
    assert.deepEqual(events.at(-1), { kind: 'chat', chat: { id: 'channel9', name: 'Family', type: 'group' } });
    assert.deepEqual(skipped, []);
  });

  test('a whole account: every chat, chats that were left, and the id of the user', async () => {
    const { messages, events } = await read({
      about: 'Here is the data you requested.',
      personal_information: { user_id: 1, first_name: 'Me', phone_number: '+1' },
      contacts: { list: [{ user_id: 2, messages: [{ id: 1 }] }] },
      chats: {
        about: 'This page lists all chats.',
        list: [
          telegramChat([telegramMessage(1), telegramMessage(2)], { type: 'personal_chat', id: 2, name: 'Alice' }),
          telegramChat([telegramMessage(4)], { type: 'saved_messages', id: 1, name: undefined }),
          telegramChat([], { type: 'public_channel', id: 7, name: 'Empty' }),
        ],
      },
      left_chats: {
        about: '…',
        list: [telegramChat([telegramMessage(5)], { type: 'private_group', id: 8, name: 'Old' })],
      },
    });

    assert.deepEqual(
      messages.map(({ chat, id, isOwn }) => [chat.id, chat.name, id, isOwn ?? false]),
      [
        ['user2', 'Alice', '1', true],
        ['user2', 'Alice', '2', false],
        ['user1', 'Saved Messages', '4', true],
        ['chat8', 'Old', '5', false],
      ],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'chat' ? [event.chat.name] : [])),
      ['Alice', 'Saved Messages', 'Empty', 'Old'],
    );
  });

  test('control characters that are not escaped as JSON requires are read', async () => {
    const text = 'a\u000bb\u0000c \\x0B';

    const { messages } = await read(telegramChat([telegramMessage(1, { text, text_entities: [] })]));

    assert.equal(messages[0]?.text, text);
  });

  test('unreadable entries are skipped and reported, all others are imported', async () => {
    const whole = telegramFile(
      telegramChat([
        telegramMessage(1),
        { id: 2, type: 'unsupported' },
        telegramMessage(3, { id: undefined }),
        telegramMessage(4, { date: undefined, date_unixtime: undefined }),
        'not a message',
        telegramMessage(6, { text: 'x'.repeat(5_000_000) }),
        telegramMessage(7, { text: 'BROKEN' }),
        telegramMessage(8),
      ]),
    );

    const { messages, skipped } = await readText(whole.replace('"BROKEN"', 'BROKEN'));

    assert.deepEqual(
      messages.map(({ id }) => id),
      ['1', '8'],
    );
    assert.deepEqual(
      skipped.map(({ why }) => why),
      ['unsupported', 'no_id', 'no_time', 'malformed', 'too_large', 'malformed'],
    );
    assert.match(skipped[0]?.where ?? '', /^export-\d+\.json:chat 9, message 2$/);
    assert.match(skipped[1]?.where ?? '', /:chat 9, the message at place 3$/);
  });

  test('a truncated export is imported as far as it goes, and reported as incomplete', async () => {
    const whole = telegramFile(telegramChat([telegramMessage(1), telegramMessage(2)]));

    const { messages, skipped } = await readText(whole.slice(0, -60));

    assert.deepEqual(
      messages.map(({ id }) => id),
      ['1'],
    );
    assert.deepEqual(
      skipped.map(({ why }) => why),
      ['cut_off'],
    );
  });

  test('old exports without Unix times are read in the given time zone, and that is reported', async () => {
    const old = telegramMessage(1, { date: '2024-06-13T15:04:05', date_unixtime: undefined });
    const path = fileIn(folder, 'old/result.json', telegramFile(telegramChat([old, old])));

    const { messages, assumed } = await readArchive('telegram', path, { timeZone: 'Asia/Tokyo' });

    assert.equal(messages[0]?.at, Date.UTC(2024, 5, 13, 6, 4, 5));
    assert.deepEqual(assumed, { time_zone: 'Asia/Tokyo' });
  });

  test('the user can be given by id or by name', async () => {
    const path = fileIn(folder, 'me/result.json', telegramFile(telegramChat([telegramMessage(1), telegramMessage(2)])));
    const own = async (me: string) =>
      (await readArchive('telegram', path, { me })).messages.map(({ isOwn }) => isOwn ?? false);

    assert.deepEqual(await own('user1'), [true, false]);
    assert.deepEqual(await own('1'), [true, false]);
    assert.deepEqual(await own('Person 2'), [false, true]);
  });

  test('an export is found in a folder and in a zip', async () => {
    const text = telegramFile(telegramChat([telegramMessage(1)]));
    fileIn(folder, 'whole/ChatExport_1/result.json', text);
    fileIn(folder, 'whole/ChatExport_1/photos/a.jpg', 'not read');
    const zip = fileIn(folder, 'export.zip', zipOf([{ name: 'a/result.json', content: text }]));

    const inFolder = await readArchive('telegram', `${folder}/whole`);
    const inZip = await readArchive('telegram', zip);

    assert.equal(inFolder.messages.length, 1);
    assert.deepEqual(inZip.events, inFolder.events);
  });

  test('progress ends at the size of the file', async () => {
    const text = telegramFile(telegramChat(Array.from({ length: 9_000 }, (_, id) => telegramMessage(id + 1))));

    const { items } = await readText(text);

    const told = items.flatMap((item) => (item.kind === 'progress' ? [item] : []));
    assert(told.length >= 2);
    assert.deepEqual(told.at(-1), { kind: 'progress', done: Buffer.byteLength(text), total: Buffer.byteLength(text) });
  });

  test('an HTML export is read from its folder', async () => {
    const message = htmlMessage({ id: 1, title: '13.06.2024 15:04:05 UTC+03:00', from: 'Ada', text: 'hi' });
    fileIn(folder, 'html/messages.html', htmlPage('Family', [message]));
    fileIn(folder, 'html/css/style.css', 'body {}');

    const { messages } = await readArchive('telegram', `${folder}/html`);

    assert.deepEqual(
      messages.map(({ text, chat }) => [text, chat.name]),
      [['hi', 'Family']],
    );
  });

  test('a file that is not an export is refused', async () => {
    for (const text of ['{"a": 1}', '[1, 2]', '"x"', '{', 'plain words', '{"messages": "none"}']) {
      await assert.rejects(readText(text), { code: 'INVALID_PARAMETER', message: /is not a Telegram export/ }, text);
    }
  });

  test('an aborted import stops', async () => {
    const path = fileIn(folder, 'stop.json', telegramFile(telegramChat([telegramMessage(1)])));

    await assert.rejects(readArchive('telegram', path, { signal: AbortSignal.abort() }), { name: 'AbortError' });
  });

  test('a hostile file neither crashes the importer nor loses a well-formed message', async () => {
    const hostile = fc.oneof(
      fc.jsonValue().map((value) => JSON.stringify(value)),
      fc
        .dictionary(
          fc.constantFrom('id', 'type', 'date', 'text', 'from', 'photo', 'poll', 'reactions', '__proto__'),
          fc.jsonValue(),
        )
        .map((value) => JSON.stringify(value)),
      fc
        .dictionary(
          fc.constantFrom('id', 'type', 'date_unixtime', 'action', 'members', 'text_entities'),
          fc.jsonValue(),
        )
        .map((value) => JSON.stringify({ ...telegramMessage(5), ...value })),
    );

    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { maxLength: 10 }), async (others) => {
        const good = telegramMessage(1_000_000);
        const list = [...others, JSON.stringify(good), ...others].join(',\n');

        const { messages } = await readText(`{"name": "N", "type": "private_group", "id": 3, "messages": [${list}]}`);

        assert(messages.some(({ id }) => id === '1000000'));
      }),
    );
  });

  test('arbitrary bytes do not crash the importer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, isFramed) => {
        const [before, after] = isFramed ? ['{"id": 3, "messages": [', ']}'] : ['', ''];
        const path = fileIn(
          folder,
          `bytes/result.json`,
          Buffer.concat([Buffer.from(before), bytes, Buffer.from(after), Buffer.from('\n')]),
        );

        await readArchive('telegram', path).catch((error: unknown) => assert(error instanceof AppError, String(error)));
      }),
    );
  });
});

function read(root: unknown) {
  return readText(telegramFile(root));
}

function readText(text: string) {
  files += 1;
  return readArchive('telegram', fileIn(folder, `export-${files}.json`, text));
}

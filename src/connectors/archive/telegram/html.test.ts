import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import {
  escaped,
  type HtmlExportMessage,
  htmlMessage,
  htmlPage,
  htmlService,
} from '../../../../tests/support/archives/telegram-html.ts';
import { AppError } from '../../../domain/errors.ts';
import { telegram } from './importer.ts';

const TITLE = '13.06.2024 15:04:05 UTC+03:00';

function message(fields: Partial<HtmlExportMessage> = {}): string {
  return htmlMessage({ id: 1, title: TITLE, from: 'Ada', text: 'hi', ...fields });
}

function read(messages: readonly string[], options: Parameters<typeof readOpened>[2] = {}) {
  return readOpened(telegram, archiveOf({ 'messages.html': htmlPage('Family', messages) }), options);
}

describe('an export of Telegram Desktop as HTML', () => {
  test('has messages with chat, sender, time and id', async () => {
    const { messages, events } = await read([message(), message({ id: 2, from: 'Bob' })], { me: 'Ada' });

    assert.deepEqual(messages[0], {
      chat: { id: 'Family', name: 'Family' },
      id: '1',
      sender: { id: 'Ada', name: 'Ada' },
      isOwn: true,
      text: 'hi',
      contentType: 'text',
      at: Date.UTC(2024, 5, 13, 12, 4, 5),
    });
    assert.deepEqual(events.at(-1), { kind: 'chat', chat: { id: 'Family', name: 'Family', type: 'group' } });
  });

  test('has joined messages of the sender before, and names of bots and dates are not part of a name', async () => {
    const { messages } = await read([
      message({ from: 'Ada Lovelace via @gif' }),
      htmlMessage({ id: 2, title: TITLE, text: 'more' }),
      message({ id: 3, from: 'Bob' }),
    ]);

    assert.deepEqual(
      messages.map(({ sender }) => sender.name),
      ['Ada Lovelace', 'Ada Lovelace', 'Bob'],
    );
  });

  test('has formatted text as plain text, with the URLs of links', async () => {
    const texts: Record<string, string> = {
      'a &lt;b&gt; &amp; &quot;c&quot; &apos;d&apos;': 'a <b> & "c" \'d\'',
      '<strong>bold</strong> <em>and</em> <code>code</code>': 'bold and code',
      'one<br>two<br><br>three': 'one\ntwo\n\nthree',
      'see <a href="https://example.org/?a=1&amp;b=2">here</a>!': 'see here (https://example.org/?a=1&b=2)!',
      '<a href="https://a.example/">https://a.example/</a>': 'https://a.example/',
      '<a href="https://t.me/ada">@ada</a> <a href="" onclick="return ShowHashtag(&quot;x&quot;)">#x</a>': '@ada #x',
      '<a href="mailto:a@b.example">a@b.example</a> <a href="tel:+1">+1</a>': 'a@b.example +1',
      '<span class="spoiler hidden" onclick="ShowSpoiler(this)"><span aria-hidden="true">secret</span></span>':
        'secret',
    };

    const { messages } = await read(Object.keys(texts).map((text, id) => message({ id, text })));

    assert.deepEqual(
      messages.map(({ text }) => text),
      Object.values(texts),
    );
  });

  test('has forwarded messages with their authors, and replies within the chat', async () => {
    const { messages } = await read([
      message({ forwardedFrom: 'Eve' }),
      message({ id: 2, replyTo: '#go_to_message1' }),
      message({ id: 3, replyTo: 'messages2.html#go_to_message2' }),
    ]);

    assert.deepEqual(
      messages.map(({ text, replyTo, sender }) => [text, replyTo, sender.name]),
      [
        ['Forwarded from Eve:\nhi', undefined, 'Ada'],
        ['hi', '1', 'Ada'],
        ['hi', '2', 'Ada'],
      ],
    );
  });

  for (const [media, contentType, attachment, text] of [
    [
      '<a class="photo_wrap clearfix pull_left" href="photos/a.jpg"><img class="photo" src="photos/a_thumb.jpg"/></a>',
      'image',
      { type: 'image', name: 'a.jpg' },
      '',
    ],
    [
      '<a class="sticker_wrap clearfix pull_left" href="stickers/s.webp"></a>',
      'sticker',
      { type: 'sticker', name: 's.webp' },
      '',
    ],
    [
      '<div class="media clearfix pull_left media_photo"><div class="body"><div class="title bold">Photo</div><div class="description">Not included</div></div></div>',
      'image',
      { type: 'image' },
      '',
    ],
    [
      '<a class="media clearfix pull_left block_link media_voice_message" href="voice_messages/v.ogg"><div class="body"><div class="title bold">Voice message</div></div></a>',
      'audio',
      { type: 'audio', name: 'v.ogg' },
      '',
    ],
    [
      '<div class="media clearfix pull_left media_file"><div class="body"><div class="title bold">r &amp; d.pdf</div></div></div>',
      'file',
      { type: 'file', name: 'r & d.pdf' },
      '',
    ],
    [
      '<div class="media clearfix pull_left media_contact"><div class="body"><div class="title bold">Bob</div><div class="status details">+1 - vCard</div></div></div>',
      'contact',
      undefined,
      'Bob +1',
    ],
    [
      '<div class="media clearfix pull_left media_location"><div class="body"><div class="title bold">Location</div><div class="status details">60.1, 24.9</div></div></div>',
      'location',
      undefined,
      '60.1, 24.9',
    ],
    [
      '<div class="media clearfix pull_left media_call success"><div class="body"><div class="title bold">Bob</div><div class="status details">Outgoing (12 seconds)</div></div></div>',
      'system',
      undefined,
      'Call: Outgoing (12 seconds)',
    ],
    [
      '<div class="media_poll"><div class="question bold">When?</div><div class="details">Anonymous poll</div><div class="answer">- Now <span class="details">2 votes</span></div><div class="answer">- Later</div><div class="total details\t">2 votes</div></div>',
      'text',
      undefined,
      'Poll: When?\n- Now (2)\n- Later (0)',
    ],
  ] as const) {
    test(`has media: ${media.slice(0, 60)}`, async () => {
      const { messages } = await read([htmlMessage({ id: 1, title: TITLE, from: 'Ada', media })]);

      assert.equal(messages[0]?.contentType, contentType);
      assert.deepEqual(messages[0]?.attachments, attachment === undefined ? undefined : [attachment]);
      assert.equal(messages[0]?.text, text);
    });
  }

  test('has reactions with the names that it shows', async () => {
    const reactions =
      '<span class="reactions"><span class="reaction"><span class="emoji">👍</span><span class="userpics"><div class="userpic userpic5" title="Bob"><div class="initials">B</div></div></span></span><span class="reaction"><span class="emoji">❤</span><span class="count">9</span></span></span>';

    const { events } = await read([message({ reactions })]);

    assert.deepEqual(events[1], {
      kind: 'reactions',
      chat: 'Family',
      message: '1',
      sender: { id: 'Bob', name: 'Bob' },
      signs: ['👍'],
      at: Date.UTC(2024, 5, 13, 12, 4, 5),
    });
  });

  test('has what the service says at the time of the message beside it; headings with a date are not messages', async () => {
    const { messages, skipped } = await read([
      htmlService(-1, '13 June 2024'),
      htmlService(1, 'Ada created group &laquo;Family&raquo;'),
      message({ id: 2 }),
      htmlService(3, 'Ada pinned <a href="#go_to_message2">this message</a>'),
      htmlService(-2, '14 June 2024'),
      htmlService(4, 'Ada invited Bob'),
      message({ id: 5, title: '14.06.2024 10:00:00 UTC+03:00' }),
      htmlService(
        6,
        'This message is not supported by this version of Telegram Desktop. Please update the application.',
      ),
    ]);

    assert.deepEqual(
      messages.map(({ id, contentType, text, at }) => [id, contentType, text, new Date(at).toISOString().slice(8, 16)]),
      [
        ['1', 'system', 'Ada created group «Family»', '13T12:04'],
        ['2', 'text', 'hi', '13T12:04'],
        ['3', 'system', 'Ada pinned this message', '13T12:04'],
        ['4', 'system', 'Ada invited Bob', '14T07:00'],
        ['5', 'text', 'hi', '14T07:00'],
      ],
    );
    assert.deepEqual(skipped, [{ why: 'unsupported', where: 'messages.html:message 6' }]);
  });

  test('of some years ago has local times, in the given zone', async () => {
    const { messages, assumed } = await read([message({ title: '13.06.2024 15:04:05' })], { timeZone: 'Asia/Tokyo' });

    assert.equal(messages[0]?.at, Date.UTC(2024, 5, 13, 6, 4, 5));
    assert.deepEqual(assumed, { time_zone: 'Asia/Tokyo' });
  });

  test('has its pages in order, and chats of the same name apart', async () => {
    const page = (id: number, next?: string) => htmlPage('Ada', [message({ id })], next);
    const archive = archiveOf({
      'export_results.html': '<html></html>',
      'lists/chats.html': '<html></html>',
      'chats/chat_1/messages.html': page(1, 'messages2.html'),
      'chats/chat_1/messages2.html': page(2, 'messages10.html'),
      'chats/chat_1/messages10.html': page(3),
      'chats/chat_2/messages.html': page(1),
    });

    const { messages, skipped } = await readOpened(telegram, archive, { chat: 'unused' });

    assert.deepEqual(
      messages.map(({ chat, id }) => [chat.id, chat.name, id]),
      [
        ['Ada', 'Ada', '1'],
        ['Ada', 'Ada', '2'],
        ['Ada', 'Ada', '3'],
        ['Ada (chat_2)', 'Ada', '1'],
      ],
    );
    assert.deepEqual(skipped, []);
  });

  test('reports a page that follows and was not given', async () => {
    const archive = archiveOf({ 'messages.html': htmlPage('Family', [message()], 'messages2.html') });

    const { skipped } = await readOpened(telegram, archive);

    assert.deepEqual(skipped, [{ why: 'missing_page', where: 'messages2.html' }]);
  });

  test('is preferred as JSON if both are there; a page of another program is refused', async () => {
    const both = archiveOf({
      'result.json': JSON.stringify({ name: 'X', type: 'personal_chat', id: 5, messages: [] }),
      'messages.html': htmlPage('Family', [message()]),
    });

    assert.deepEqual((await readOpened(telegram, both)).messages, []);
    await assert.rejects(
      readOpened(telegram, archiveOf({ 'page.html': '<!DOCTYPE html><html><body>hi</body></html>' })),
      (error) => error instanceof AppError && /is not a Telegram export/.test(error.message),
    );
  });

  test('gives back any text, whatever the pieces in which it is read', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
      .filter((each) => !/\p{Cc}|^\s|\s$|\r/u.test(each));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 10 }),
        fc.integer({ min: 1, max: 90 }),
        async (said, chunk) => {
          const pages = said.map(([from, what], id) => message({ id, from, text: escaped(what) }));
          const archive = archiveOf({ 'messages.html': htmlPage('Family', pages) }, { chunk });

          const { messages } = await readOpened(telegram, archive);

          assert.deepEqual(
            messages.map(({ sender, text: shown }) => [sender.name, shown]),
            said.map(([from, what]) => [from.replace(/ via @\w{1,64}$/, '').trim(), what.trim()]),
          );
        },
      ),
      { numRuns: 100 },
    );
  });

  test('causes nothing but an AppError if it is damaged, and takes bounded memory', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '<div class="message ',
        '<div class="message default" id="message1">',
        '<div class="body">',
        '</div>',
        '<a href="',
        '<br>',
        '<!--',
        '>',
        '&#x110000;',
        'message',
        'id="message-5"',
        '<div class="forwarded body">',
      ),
      fc.string({ unit: 'binary', maxLength: 10 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        try {
          await readOpened(telegram, archiveOf({ 'messages.html': pieces.join('') }));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
      }),
      { numRuns: 300 },
    );
    const deep = `${message()}<div class="message default clearfix" id="message2">${'<div class="body">'.repeat(200_000)}`;
    assert.equal((await read([deep])).messages.length, 1);
    const huge = message({ id: 2, text: 'x'.repeat(5_000_000) });
    const { messages, skipped } = await read([message(), huge, message({ id: 3 })]);
    assert.deepEqual([messages.map(({ id }) => id), skipped.map(({ why }) => why)], [['1', '3'], ['too_large']]);
  });
});

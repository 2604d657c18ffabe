import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { AppError } from '../../src/domain/errors.ts';
import { fileIn, readArchive } from '../support/archives/read-archive.ts';
import {
  WHATSAPP_STYLES,
  type WhatsappMessage,
  type WhatsappStyle,
  whatsappFile,
} from '../support/archives/whatsapp-export.ts';
import { zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const BRITISH = styleOf('English of Britain on Android');
const FINNISH = styleOf('Finnish on an iPhone');
let files = 0;

describe('exports of WhatsApp in every language', () => {
  for (const style of WHATSAPP_STYLES) {
    test(style.name, async () => {
      const written = sample();

      const { messages, skipped } = await read(whatsappFile(style, written));

      assert.deepEqual(
        messages.map(({ at, sender, text }) => [new Date(at).toISOString(), sender.name, text]),
        written.map(({ at, sender = 'WhatsApp', text }) => [rounded(at, style).toISOString(), sender, text]),
      );
      assert.deepEqual(skipped, []);
    });
  }

  test('every text of every sender in every language is read completely', async () => {
    const style = fc.constantFrom(...WHATSAPP_STYLES);
    const sender = fc.constantFrom('Alice', 'Bob Li', '+358 40 1234567', 'Ünïcödé 🎉', 'أحمد');
    // Text that looks like a header or like text of the program itself cannot be distinguished.
    const text = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }).map(
      (lines) =>
        lines
          .map((line) => line.replaceAll(/[\p{Nd}\p{C}\p{Z}<>()[\]\u2028\u2029]/gu, 'x'))
          .join('\n')
          .trim() || 'x',
    );
    const gap = fc.integer({ min: 0, max: 40 * 3_600 });

    await fc.assert(
      fc.asyncProperty(style, fc.array(fc.tuple(sender, text, gap), { maxLength: 40 }), async (chosen, said) => {
        const start = sample();
        let at = start.at(-1)?.at.getTime() ?? 0;
        const written = [
          ...start,
          ...said.map(([name, words, seconds]) => {
            at += seconds * 1000;
            return { at: new Date(at), sender: name, text: words };
          }),
        ];

        const { messages } = await read(whatsappFile(chosen, written, '\r\n'));

        assert.deepEqual(
          messages.map((message) => [message.at, message.sender.name, message.text]),
          written.map((message) => [rounded(message.at, chosen).getTime(), message.sender ?? 'WhatsApp', message.text]),
        );
      }),
    );
  });
});

describe('exports of WhatsApp', () => {
  test('a message continues until the next header, and a header in another format is part of the text', async () => {
    const { messages } = await read(
      whatsappFile(BRITISH, [...sample(), said('see:\n[13.6.2024 klo 15.04.05] Eve: forged\n\nend'), said('next')]),
    );

    assert.deepEqual(
      messages.slice(-2).map(({ text }) => text),
      ['see:\n[13.6.2024 klo 15.04.05] Eve: forged\n\nend', 'next'],
    );
  });

  test('a system message has no human sender', async () => {
    const { messages } = await read(
      whatsappFile(BRITISH, [
        ...sample(),
        { at: moment(9), text: 'Alice changed the subject from "x" to "y: z"' },
        { at: moment(9), text: 'Bob Li left' },
      ]),
    );

    assert.deepEqual(
      messages.slice(-2).map(({ sender, contentType, text }) => [sender.id, contentType, text]),
      [
        ['whatsapp', 'system', 'Alice changed the subject from "x" to "y: z"'],
        ['whatsapp', 'system', 'Bob Li left'],
      ],
    );
  });

  test('on an iPhone a system message has a sender and is recognized by its left-to-right mark', async () => {
    const { messages } = await read(
      whatsappFile(FINNISH, [
        ...sample(),
        said('\u200eMissed voice call'),
        said('\u200eimage omitted'),
        said('\u200ePOLL:\nWhen?\nOPTION: now (2 votes)'),
      ]),
    );

    assert.deepEqual(
      messages.slice(-3).map(({ contentType, text }) => [contentType, text]),
      [
        ['system', 'Missed voice call'],
        ['image', ''],
        ['text', 'POLL:\nWhen?\nOPTION: now (2 votes)'],
      ],
    );
  });

  test('deleted and edited messages are imported as such', async () => {
    const { messages, events } = await read(
      whatsappFile(BRITISH, [...sample(), said('This message was deleted'), said('so <This message was edited>')]),
    );

    const [deleted, edited] = messages.slice(-2);
    assert(events.some((event) => event.kind === 'delete' && event.message === deleted?.id));
    assert.deepEqual([deleted?.text, edited?.text, edited?.editedAt], ['', 'so', edited?.at]);
  });

  test('names with a colon are senders, and a message that an admin deleted is deleted', async () => {
    const { messages, events } = await read(
      [
        '13/06/2024, 15:04 - Dr: Who: hello',
        '13/06/2024, 15:05 - Ada: note: it works',
        '13/06/2024, 15:06 - Dr: Who: This message was deleted by admin Ada',
        '13/06/2024, 15:07 - Ada: bye',
      ].join('\n'),
    );

    assert.deepEqual(
      messages.map(({ sender, text }) => [sender.name, text]),
      [
        ['Dr: Who', 'hello'],
        ['Ada', 'note: it works'],
        ['Dr: Who', ''],
        ['Ada', 'bye'],
      ],
    );
    assert.deepEqual(
      events.flatMap((event) => (event.kind === 'delete' ? [event.message] : [])),
      [messages[2]?.id],
    );
  });

  test('the chat is named after the file; in a direct chat the sender who is not in the file name is the user', async () => {
    const text = whatsappFile(BRITISH, sample());

    const direct = await readArchive('whatsapp', fileIn(folder, 'WhatsApp Chat with Alice.txt', text));
    const group = await readArchive('whatsapp', fileIn(folder, 'WhatsApp Chat with Family.txt', text));
    const said = await readArchive('whatsapp', fileIn(folder, 'x.txt', text), { chat: 'Kin', me: 'Alice' });

    assert.deepEqual(direct.messages[1]?.chat, { id: 'Alice', name: 'Alice', type: 'direct' });
    assert.deepEqual(
      direct.messages.map(({ isOwn }) => isOwn ?? false),
      [false, false, true, false],
    );
    assert.deepEqual(group.messages[1]?.chat, { id: 'Family', name: 'Family', type: 'group' });
    assert(group.messages.every(({ isOwn }) => isOwn === undefined));
    assert.equal(said.messages[1]?.chat.name, 'Kin');
    assert.deepEqual(
      said.messages.map(({ isOwn }) => isOwn ?? false),
      [false, true, false, true],
    );
  });

  test('a zip from an iPhone, with its attachments', async () => {
    const zip = zipOf([
      {
        name: '_chat.txt',
        content: whatsappFile(FINNISH, [...sample(), said('\u200e<attached: 00000042-PHOTO-2024.jpg>')], '\r\n'),
      },
      { name: '00000042-PHOTO-2024.jpg', content: 'x'.repeat(1234) },
      { name: '00000043-notes.txt', content: 'no chat' },
    ]);

    const { messages, skipped } = await readArchive('whatsapp', fileIn(folder, 'WhatsApp Chat - Family.zip', zip));

    assert.equal(messages.at(-1)?.chat.name, 'Family');
    assert.deepEqual(messages.at(-1)?.attachments, [{ type: 'image', name: '00000042-PHOTO-2024.jpg', size: 1234 }]);
    assert.deepEqual(skipped, []);
  });

  test('all chats in a folder are imported', async () => {
    const text = whatsappFile(BRITISH, sample());
    for (const name of ['Alice', 'Bob Li']) fileIn(folder, `all/WhatsApp Chat with ${name}.txt`, text);

    const { messages } = await readArchive('whatsapp', `${folder}/all`);

    assert.deepEqual([...new Set(messages.map(({ chat }) => chat.name))], ['Alice', 'Bob Li']);
  });

  test('text before the first message, and a message that is too large, are skipped and reported', async () => {
    const text = whatsappFile(BRITISH, [...sample(), said('x'.repeat(5_000_000)), said('after')]);

    const { messages, skipped } = await read(`something\n\n${text}`);

    assert.deepEqual(
      skipped.map(({ why }) => why),
      ['preamble', 'too_large'],
    );
    assert.match(skipped[0]?.where ?? '', /\.txt:1$/);
    assert.equal(messages.at(-1)?.text, 'after');
  });

  test('the assumed time zone and date order are reported', async () => {
    const path = fileIn(folder, 'zone.txt', whatsappFile(BRITISH, sample()));

    const { messages, assumed } = await readArchive('whatsapp', path, { timeZone: 'Asia/Tokyo' });

    assert.deepEqual(assumed, { time_zone: 'Asia/Tokyo', date_order: 'dmy' });
    assert.equal(messages[1]?.at, rounded(moment(1), BRITISH).getTime() - 9 * 3_600_000);
  });

  test('an hour repeated at the end of daylight saving time is resolved by the preceding messages', async () => {
    const path = fileIn(
      folder,
      'twice.txt',
      ['00:30', '03:30', '03:59', '03:10', '04:10'].map((time) => `27/10/2024, ${time} - A: x`).join('\n'),
    );

    const { messages } = await readArchive('whatsapp', path, { timeZone: 'Europe/Helsinki' });

    const times = messages.map(({ at }) => new Date(at).toISOString().slice(8, 16));
    assert.deepEqual(times, ['26T21:30', '27T00:30', '27T00:59', '27T01:10', '27T02:10']);
  });
});

describe('the order of day, month and year in a date', () => {
  const lines = (...dates: string[]) => dates.map((date) => `${date}, 15:04 - Alice: x`).join('\n');

  test('is the only possible one: there is no month 13', async () => {
    assert.equal((await read(lines('3/4/24', '13/4/24'))).assumed.date_order, 'dmy');
    assert.equal((await read(lines('4/3/24', '4/13/24'))).assumed.date_order, 'mdy');
  });

  test('is the one in which timestamps increase', async () => {
    assert.equal((await read(lines('11/1/24', '12/1/24', '1/2/24', '2/2/24'))).assumed.date_order, 'dmy');
    assert.equal((await read(lines('1/11/24', '1/12/24', '2/1/24', '2/2/24'))).assumed.date_order, 'mdy');
  });

  test('is not affected by a late message or a pasted date', async () => {
    const pasted = lines('3/4/24', '4/4/24', '5/4/24', '13/4/24', '12/4/24', '14/4/24', '1/30/24', '15/4/24');

    const { assumed, messages } = await read(pasted);

    assert.equal(assumed.date_order, 'dmy');
    assert.equal(messages.length, 7);
  });

  test('must be given if it is ambiguous', async () => {
    const text = lines('3/4/24', '3/5/24');
    const path = fileIn(folder, 'ambiguous.txt', text);
    const first = async (dateOrder: 'dmy' | 'mdy') =>
      (await readArchive('whatsapp', path, { dateOrder })).messages[0]?.at;

    await assert.rejects(read(text), { code: 'INVALID_PARAMETER', field: 'date_order', hint: /--date-order dmy/ });
    assert.equal(await first('dmy'), Date.UTC(2024, 3, 3, 15, 4));
    assert.equal(await first('mdy'), Date.UTC(2024, 2, 4, 15, 4));
  });

  test('is irrelevant if every order gives the same date, and known if only one is used with the separator', async () => {
    assert.equal((await read(lines('4/4/24', '5/5/24'))).messages.length, 2);
    assert.equal((await read(lines('03.04.24', '03.05.24'))).assumed.date_order, 'dmy');
    assert.equal((await read(lines('03-04-2024', '03-05-2024'))).assumed.date_order, 'dmy');
    assert.equal(
      (await read(lines('24. 4. 3. 오후', '24. 4. 4. 오후').replaceAll('15:', '3:').replaceAll(',', ''))).assumed
        .date_order,
      'ymd',
    );
  });
});

describe('ids of WhatsApp messages, which have none in the export', () => {
  test('are the same in a later export, with media, and in another time zone', async () => {
    const written = [...sample(), said('again'), said('again')];
    const ids = async (text: string, timeZone = 'UTC') =>
      (
        await readArchive('whatsapp', fileIn(folder, 'ids/WhatsApp Chat with Alice.txt', text), { timeZone })
      ).messages.map(({ id }) => id);

    const first = await ids(whatsappFile(BRITISH, [...written, said('<Media omitted>')]));
    const later = await ids(
      whatsappFile(BRITISH, [...written, said('IMG-20240613-WA0001.jpg (file attached)'), said('more')]),
      'Asia/Tokyo',
    );

    assert.equal(new Set(first).size, first.length);
    assert.deepEqual(later.slice(0, -1), first);
  });
});

describe('a file that is not a WhatsApp export', () => {
  test('is refused, with a hint at the format it resembles', async () => {
    await assert.rejects(read('plain\nwords'), { code: 'INVALID_PARAMETER', message: /is not a WhatsApp export/ });
    await assert.rejects(read('[2024-06-13 15:04:05] <alice> hi\n[2024-06-13 15:04:06] <bob> ho'), {
      hint: /an IRC log/,
    });
  });

  test('arbitrary bytes are imported or refused with a clear error', async () => {
    const style = fc.constantFrom(...WHATSAPP_STYLES);
    await fc.assert(
      fc.asyncProperty(style, fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (chosen, bytes, isFramed) => {
        const before = isFramed ? whatsappFile(chosen, sample()) : '';

        const path = fileIn(folder, 'any.txt', Buffer.concat([Buffer.from(`${before} `), bytes]));
        const result = await readArchive('whatsapp', path).catch((error: unknown) => {
          assert(error instanceof AppError, String(error));
          return undefined;
        });

        if (isFramed) assert(result && result.messages.length >= sample().length - 1);
      }),
    );
  });
});

/** Enough messages to detect the format of an export. */
function sample(): WhatsappMessage[] {
  return [
    { at: new Date('2024-04-29T00:05:00Z'), text: 'Messages and calls are end-to-end encrypted.' },
    { at: moment(1), sender: 'Alice', text: 'hello' },
    { at: moment(2), sender: 'Bob Li', text: 'line one\nline two: still Bob' },
    { at: moment(3), sender: 'Alice', text: 'https://example.org' },
  ];
}

function moment(number: number): Date {
  return new Date(Date.UTC(2024, 4, 12 + number, 11 + number, 10 * number, 7));
}

function said(text: string): WhatsappMessage {
  return { at: moment(8), sender: 'Alice', text };
}

/** Android writes no seconds. */
function rounded(at: Date, { seconds }: WhatsappStyle): Date {
  return seconds ? at : new Date(Math.floor(at.getTime() / 60_000) * 60_000);
}

function read(text: string) {
  files += 1;
  return readArchive('whatsapp', fileIn(folder, `chat-${files}.txt`, text));
}

function styleOf(name: string): WhatsappStyle {
  const found = WHATSAPP_STYLES.find((style) => style.name === name);
  assert(found);
  return found;
}

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { importArchive } from '../../src/connectors/archive/import-archive.ts';
import { type ArchiveReader, openArchive } from '../../src/connectors/archive/open-archive.ts';
import type { ArchiveFormat, ImportReport } from '../../src/domain/archive.ts';
import { fileIn } from '../support/archives/read-archive.ts';
import { telegramChat, telegramFile, telegramMessage } from '../support/archives/telegram-export.ts';
import { zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const LOG = '2024-06-13 12:00:00 <ada> héllo\n2024-06-13 12:00:01 <bob> Straße\n';
const CHAT = '13/06/2024, 15:04 - Alice: héllo\n14/06/2024, 09:30 - Bob: the harbour\n';
const TELEGRAM = telegramFile(telegramChat([1, 2].map((id) => telegramMessage(id))));
const MBOX = `From ada at example.test  Thu Jun 13 12:34:56 2024
From: ada at example.test (Ada)
Date: Thu, 13 Jun 2024 12:34:56 +0000
Subject: Plan
Message-ID: <1@example.test>

héllo
`;
const SLACK = {
  'users.json': JSON.stringify([{ id: 'U1', name: 'ada' }]),
  'channels.json': JSON.stringify([{ id: 'C1', name: 'general' }]),
  'general/2024-06-13.json': JSON.stringify([{ type: 'message', user: 'U1', ts: '1718275523.000005', text: 'hi' }]),
};
const DISCORD = JSON.stringify({
  guild: { id: '1', name: 'Guild' },
  channel: { id: '77', type: 'GuildTextChat', name: 'general' },
  messages: [{ id: '175928847299117063', type: 'Default', content: 'hi', author: { id: '8', name: 'ada' } }],
  messageCount: 1,
});

const EXPORTS: Record<ArchiveFormat, Record<string, string>> = {
  telegram: { 'result.json': TELEGRAM },
  whatsapp: { 'WhatsApp Chat with Bob.txt': CHAT },
  slack: SLACK,
  discord: { 'general.json': DISCORD },
  irc: { '#chat.log': LOG },
  mbox: { '2024-June.txt': MBOX },
};

const ENCODINGS: Record<string, (text: string) => Buffer> = {
  'UTF-16 with a mark': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16 with a mark, high bytes first': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'UTF-16 without a mark': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16 without a mark, high bytes first': (text) => Buffer.from(text, 'utf16le').swap16(),
};

describe('every format', () => {
  for (const [format, files] of Object.entries(EXPORTS) as [ArchiveFormat, Record<string, string>][]) {
    test(`of ${format} is read the same from UTF-16 and from gzip, in a folder and in a zip`, async () => {
      const plain = await imported(format, Object.entries(files));
      assert.notEqual(plain.messages.length, 0);

      for (const encode of Object.values(ENCODINGS)) {
        const [text, packed] = [
          Object.entries(files).map(([name, content]): Named => [name, encode(content)]),
          Object.entries(files).map(([name, content]): Named => [`${name}.gz`, gzipSync(encode(content))]),
        ];
        for (const asZip of [false, true]) {
          assert.deepEqual(await imported(format, text, asZip), plain);
          assert.deepEqual(await imported(format, packed, asZip), plain);
        }
      }
      // Some servers unpack what they send and keep the name; some programs pack without changing it.
      const misnamed = Object.entries(files).map(([name, content]): Named => [`${name}.gz`, content]);
      const unnamed = Object.entries(files).map(([name, content]): Named => [name, gzipSync(content)]);
      assert.deepEqual(await imported(format, misnamed), plain);
      assert.deepEqual(await imported(format, unnamed), plain);
    });
  }
});

describe('a file of an archive', () => {
  test('is unpacked and decoded wherever it is split', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1 }), fc.boolean(), async (text, isBig) => {
        const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
        const path = fileIn(folder, 'any.txt.gz', gzipSync(isBig ? bytes.swap16() : bytes));

        assert.equal((await contentOf(await openArchive(path))).toString(), text);
      }),
      { numRuns: 30 },
    );
  });

  test('in UTF-16 with half a character is read, and named', async () => {
    const path = fileIn(folder, 'half.txt', Buffer.from('\ufeffhéllo \ud83d and', 'utf16le'));
    const archive = await openArchive(path);

    const content = await contentOf(archive);

    assert.equal(content.toString(), 'héllo \ufffd and');
    assert.deepEqual(archive.leftOut, [{ why: 'undecoded', where: 'half.txt' }]);
  });

  test('of several gzip members is read to its end; text and binary files stay as they are', async () => {
    const [two, binary] = [
      Buffer.concat([gzipSync('one '), gzipSync('two')]),
      Buffer.from([0, 1, 0, 0, 2, 0, 3, 0, 1]),
    ];

    assert.equal((await contentOf(await openArchive(fileIn(folder, 'two.gz', two)))).toString(), 'one two');
    assert.deepEqual(await contentOf(await openArchive(fileIn(folder, 'binary', binary))), binary);
    assert.equal((await contentOf(await openArchive(fileIn(folder, 'short', 'a')))).toString(), 'a');
  });

  test('that unpacks to far more than its size is refused, unless the user sets what it may unpack to', async () => {
    const bomb = gzipSync(Buffer.alloc(70 * 1024 * 1024));
    const [file, zip] = [
      fileIn(folder, 'bomb.log.gz', bomb),
      fileIn(folder, 'bomb-in.zip', zipOf([{ name: 'bomb.log.gz', content: bomb, method: 0 }])),
    ];

    for (const path of [file, zip]) {
      await assert.rejects(contentOf(await openArchive(path)), { code: 'TOO_LARGE', message: /far more/ });
      await assert.rejects(contentOf(await openArchive(path, { unpackedBytes: 1_000_000 })), { code: 'TOO_LARGE' });
    }
    const whole = await openArchive(file, { unpackedBytes: 80 * 1024 * 1024 });
    assert.equal((await contentOf(whole)).length, 70 * 1024 * 1024);
  });

  test('that lies packed and unpacked in a folder or zip is read once', async () => {
    const files: Named[] = [
      ['2024-June.txt', MBOX],
      ['2024-June.txt.gz', gzipSync(MBOX)],
    ];

    for (const asZip of [false, true]) {
      const { messages, report } = await imported('mbox', files, asZip);
      assert.equal(messages.length, 1);
      assert.deepEqual(
        [report.unread.count, report.skipped],
        [0, [{ reason: 'The same file lies beside it, unpacked.', count: 1, examples: ['2024-June.txt.gz'] }]],
      );
    }
  });
});

describe('what could not be read', () => {
  test('of a truncated gzip file is counted; what comes before the damage and other files are imported', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `2024-06-13 12:00:00 <ada> ${index} ${index * 7919}\n`);
    const packed = gzipSync(lines.join(''));

    const { messages, report } = await imported('irc', [
      ['#a.log.gz', packed.subarray(0, packed.length / 2)],
      ['#b.log', LOG],
    ]);

    assert(messages.length > 5_000, String(messages.length));
    assert.equal(messages.at(-1), 'Straße');
    assert(report.unread.places.includes('#a.log'), JSON.stringify(report.unread));
  });

  test('of a gzip file that is damaged anywhere ends it there; bytes after its end are ignored', async () => {
    const packed = gzipSync(LOG.repeat(500));
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 12, max: packed.length - 1 }), fc.nat(255), async (at, byte) => {
        const broken = Buffer.from(packed);
        broken[at] = byte;

        const { messages, report } = await imported('irc', [
          ['#a.log.gz', broken],
          ['#b.log', LOG],
        ]);

        assert(messages.length >= 2);
        assert(byte === packed[at] || report.unread.count > 0 || messages.length === 1_002);
      }),
      { numRuns: 30 },
    );
    const trailing = await imported('irc', [['#a.log.gz', Buffer.concat([packed, Buffer.alloc(512)])]]);
    assert.equal(trailing.messages.length, 1_000);
    assert.equal(trailing.report.unread.count, 0);
  });

  test('is the error if nothing else is there', async () => {
    const packed = gzipSync(LOG);

    await assert.rejects(imported('irc', [['#a.log.gz', packed.subarray(0, 12)]]), {
      code: 'INVALID_PARAMETER',
      message: /could not be read to its end/,
    });
  });

  test('is counted with its first places; what is left out on purpose is not', async () => {
    const lines = Array.from({ length: 15 }, (_, index) => `nonsense ${index}`).join('\n');
    const content = `${LOG}${lines}\n${LOG.repeat(10)}2024-06-13 12:00:02 *** Joins: ada (~a@host.test)\n`;

    const { report } = await imported('irc', [['#chat.log', content]]);

    assert.deepEqual(report.unread, {
      count: 15,
      places: Array.from({ length: 10 }, (_, index) => `#chat.log:${index + 3}`),
    });
    assert.deepEqual(
      report.skipped.map(({ count }) => count),
      [15, 1],
    );
  });
});

describe('symbolic links in a folder', () => {
  test('that lead out of it or nowhere are named as left out', async () => {
    const path = join(folder, 'links-out');
    fileIn(path, '#chat.log', LOG);
    const outside = fileIn(folder, 'outside/#secret.log', LOG);
    symlinkSync(outside, join(path, '#other.log'));
    symlinkSync(join(folder, 'outside'), join(path, 'more'));
    symlinkSync('nowhere', join(path, 'gone.log'));
    symlinkSync('loop', join(path, 'loop'));

    const { messages, report } = await importedFrom('irc', path);

    assert.equal(messages.length, 2);
    assert.equal(report.unread.count, 4);
    assert.deepEqual([...report.unread.places].sort(), ['#other.log', 'gone.log', 'loop', 'more']);
  });

  test('to files in it read each file once, under its own name unless that is hidden', async () => {
    const path = join(folder, 'links-in');
    fileIn(path, 'logs/#chat.log', LOG);
    fileIn(path, '.store/abc', LOG);
    fileIn(path, '.store/folder/#deep.log', LOG);
    symlinkSync('logs/#chat.log', join(path, 'current.log'));
    symlinkSync('logs', join(path, 'again'));
    symlinkSync('..', join(path, 'logs/up'));
    symlinkSync('.store/abc', join(path, '#linked.log'));
    symlinkSync('.store/folder', join(path, 'deep'));
    symlinkSync('..', join(path, '.store/folder/up'));

    const { entries, leftOut } = await openArchive(path);

    assert.deepEqual(
      entries.map(({ name }) => name),
      ['#linked.log', 'deep/#deep.log', 'logs/#chat.log'],
    );
    assert.deepEqual(leftOut, []);
  });

  test('if there is nothing else, are the reason of the error', async () => {
    const path = join(folder, 'links-only');
    mkdirSync(path);
    symlinkSync(fileIn(folder, 'elsewhere.log', LOG), join(path, '#a.log'));

    await assert.rejects(importedFrom('irc', path), {
      code: 'INVALID_PARAMETER',
      message: `Nothing in the folder ${path} may be read: symbolic links that lead out of it are not followed.`,
    });
  });

  test('in a zip are named as left out', async () => {
    const link = { name: '#b.log', content: '/etc/passwd', mode: 0o120777 };
    const path = fileIn(folder, 'links.zip', zipOf([{ name: '#a.log', content: LOG }, link]));

    const { messages, report } = await importedFrom('irc', path);

    assert.equal(messages.length, 2);
    assert.deepEqual(report.unread, { count: 1, places: ['#b.log'] });
  });
});

type Named = [name: string, content: string | Buffer];

let exports = 0;

async function imported(format: ArchiveFormat, files: readonly Named[], asZip = false) {
  exports += 1;
  const place = join(folder, `export-${exports}`, 'export');
  if (asZip) {
    const zip = zipOf(files.map(([name, content]) => ({ name, content })));
    return importedFrom(format, fileIn(place, 'export.zip', zip));
  }
  for (const [name, content] of files) fileIn(place, name, content);
  return importedFrom(format, place);
}

async function importedFrom(
  format: ArchiveFormat,
  path: string,
): Promise<{ messages: string[]; report: ImportReport }> {
  const messages: string[] = [];
  const report = await importArchive(
    {
      async record(events) {
        for (const event of events) if (event.kind === 'message') messages.push(event.message.text);
        return { added: events.length, changed: 0, known: 0, chats: [] };
      },
      async finish() {},
    },
    { format, path, timeZone: 'UTC' },
    { signal: new AbortController().signal, progress() {}, async begin() {} },
  );
  return { messages, report };
}

async function contentOf({ entries, close }: ArchiveReader): Promise<Buffer> {
  const [entry] = entries;
  assert(entry);
  return buffer(entry.read()).finally(close);
}

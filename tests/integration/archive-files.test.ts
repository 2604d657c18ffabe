import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, test } from 'node:test';
import fc from 'fast-check';
import { type EntryLine, linesOf } from '../../src/connectors/archive/entry-lines.ts';
import { type ArchiveEntry, openArchive } from '../../src/connectors/archive/open-archive.ts';
import { fileProblem } from '../../src/connectors/archive/problems.ts';
import { wrongFormat } from '../../src/connectors/archive/recognise.ts';
import { AppError } from '../../src/domain/errors.ts';
import { fileIn } from '../support/archives/read-archive.ts';
import { telegramChat, telegramFile } from '../support/archives/telegram-export.ts';
import { type ZipEntry, zipOf } from '../support/archives/zip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
let zips = 0;

describe('archives that can be imported', () => {
  test('a file, a folder with its subfolders, a zip', async () => {
    fileIn(folder, 'tree/b.txt', 'B');
    fileIn(folder, 'tree/a/c.txt', 'C');

    const file = await openArchive(join(folder, 'tree/b.txt'));
    const tree = await openArchive(join(folder, 'tree'));
    const zip = await openZipOf([
      { name: 'z.txt', content: 'Z' },
      { name: 'dir/', content: '', method: 0 },
      { name: 'dir/y.txt', content: 'Y', method: 0 },
    ]);

    assert.deepEqual([file.kind, await contentsOf(file.entries)], ['file', { 'b.txt': 'B' }]);
    assert.deepEqual([tree.kind, await contentsOf(tree.entries)], ['folder', { 'a/c.txt': 'C', 'b.txt': 'B' }]);
    assert.deepEqual([zip.kind, await contentsOf(zip.entries)], ['zip', { 'dir/y.txt': 'Y', 'z.txt': 'Z' }]);
    await zip.close();
  });

  test('symbolic links in a folder are not followed', async () => {
    fileIn(folder, 'linked/a.txt', 'A');
    symlinkSync('/etc', join(folder, 'linked/etc'));
    symlinkSync('/etc/hostname', join(folder, 'linked/host.txt'));

    const { entries } = await openArchive(join(folder, 'linked'));

    assert.deepEqual(
      entries.map(({ name }) => name),
      ['a.txt'],
    );
  });

  test('names in a zip are decoded as UTF-8 or code page 437, and backslashes become slashes', async () => {
    const zip = await openZipOf([
      { name: 'käse.txt', content: '', method: 0, flags: 0x800 },
      { name: 'höflich.txt', content: '', method: 0 },
      { name: Buffer.from([0x81, 0x2e, 0x74, 0x78, 0x74]), content: '', method: 0 },
      { name: 'dir\\back.txt', content: '', method: 0 },
    ]);

    assert.deepEqual(
      zip.entries.map(({ name }) => name),
      ['dir/back.txt', 'höflich.txt', 'käse.txt', 'ü.txt'],
    );
    await zip.close();
  });

  test('unsafe or empty names in a zip are skipped', async () => {
    const zip = await openZipOf(
      [
        '../up.txt',
        'a/../../up.txt',
        '/etc/passwd',
        'C:/x.txt',
        '..\\up.txt',
        '__MACOSX/._a.txt',
        'x'.repeat(2_000),
        'ok.txt',
      ].map((name) => ({ name, content: 'x' })),
    );

    assert.deepEqual(
      zip.entries.map(({ name }) => name),
      ['ok.txt'],
    );
    await zip.close();
  });
});

describe('an archive that cannot be imported is refused with a reason and its path', () => {
  const refused = async (path: string, code: string, message: RegExp) =>
    assert.rejects(openArchive(path), (error) => {
      assert(error instanceof AppError);
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert(error.message.includes(path), error.message);
      return true;
    });

  test('a missing path', () => refused(join(folder, 'nothing'), 'NOT_FOUND', /^There is no file or folder at/));

  test('an empty file', () => refused(fileIn(folder, 'empty.json', ''), 'INVALID_PARAMETER', /is empty/));

  test('an empty folder', async () => {
    mkdirSync(join(folder, 'empty'));

    await refused(join(folder, 'empty'), 'INVALID_PARAMETER', /holds no files/);
  });

  test('a device file', () => refused('/dev/null', 'INVALID_PARAMETER', /neither a file nor a folder/));

  test('a file without read permission', () => {
    const { code, message } = fileProblem('/x/secret.json', Object.assign(new Error('no'), { code: 'EACCES' }));

    assert.deepEqual([code, message], ['FORBIDDEN', '/x/secret.json may not be read.']);
  });

  test('a truncated zip', () =>
    refused(
      fileIn(folder, 'torn.zip', zipOf([{ name: 'a', content: 'x'.repeat(99) }]).subarray(0, 60)),
      'INVALID_PARAMETER',
      /damaged or incomplete/,
    ));

  test('an empty zip', () => refused(fileIn(folder, 'empty.zip', zipOf([])), 'INVALID_PARAMETER', /is empty/));

  test('a zip whose directory claims an excessive size', () =>
    refused(
      fileIn(folder, 'bomb.zip', zipOf([{ name: 'a.txt', content: 'x', claimedSize: 2_000_000_000 }])),
      'TOO_LARGE',
      /far more than an export/,
    ));

  test('a zip bomb', async () => {
    const bomb = zipOf([{ name: 'a.txt', content: Buffer.alloc(100_000_000) }]);

    await refused(fileIn(folder, 'real-bomb.zip', bomb), 'TOO_LARGE', /far more than an export/);
  });

  test('reading an encrypted entry, an unknown compression method, a wrong size or damaged data fails', async () => {
    const entries: [ZipEntry, RegExp][] = [
      [{ name: 'a', content: 'x', flags: 1 }, /is encrypted/],
      [{ name: 'a', content: 'x', method: 99 }, /not known here/],
      [{ name: 'a', content: 'x'.repeat(99), claimedSize: 5 }, /could not be read to its end/],
    ];
    for (const [entry, message] of entries) {
      const zip = await openZipOf([entry]);
      await assert.rejects(contentsOf(zip.entries), { code: 'INVALID_PARAMETER', message });
      await zip.close();
    }
  });

  test('arbitrary bytes with a zip signature are opened or refused with a clear error', async () => {
    const whole = zipOf([{ name: 'a.txt', content: 'hello' }]);
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 5), fc.uint8Array({ minLength: 1, maxLength: 8 }), async (at, bytes) => {
        const broken = Buffer.from(whole);
        broken.set(bytes.subarray(0, whole.length - at - 4), at + 4);

        try {
          const zip = await openArchive(fileIn(folder, 'any.zip', broken));
          await contentsOf(zip.entries).finally(() => zip.close());
        } catch (error) {
          assert(error instanceof AppError, String(error));
        }
      }),
    );
  });
});

describe('reading a file line by line', () => {
  test('accepts LF and CRLF, removes the byte order mark, and drops the content of long lines', async () => {
    const path = fileIn(folder, 'lines.txt', `\ufefffirst\r\n\n${'x'.repeat(100)}\nlast\r`);

    const lines = await linesIn(path, 50);

    assert.deepEqual(
      lines.map(({ number, bytes, isTooLong }) => [number, bytes.toString(), isTooLong]),
      [
        [1, 'first', false],
        [2, '', false],
        [3, '', true],
        [4, 'last', false],
      ],
    );
    assert.equal(lines.at(-1)?.end, Buffer.byteLength(`\ufefffirst\r\n\n${'x'.repeat(100)}\nlast\r`));
  });

  test('returns the same lines wherever the text is split into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.integer({ min: 1, max: 9 }),
        async (parts, size) => {
          const whole = parts.map((part) => part.replaceAll(/[\r\n\ufeff]/g, '')).join('\n');
          const bytes = Buffer.from(whole);

          const lines: string[] = [];
          for await (const line of linesOf(inPieces(bytes, size), 10_000, new AbortController().signal)) {
            lines.push(line.bytes.toString());
          }

          assert.equal(lines.join('\n'), whole.endsWith('\n') ? whole.slice(0, -1) : whole);
        },
      ),
    );
  });
});

describe('zips in a folder', () => {
  test('are read like folders of the same name; those in folders below are files', async () => {
    fileIn(folder, 'zips/a.zip', zipOf([{ name: 'b.txt', content: 'B' }]));
    fileIn(folder, 'zips/plain.zip', 'no zip');
    fileIn(folder, 'zips/below/c.zip', zipOf([{ name: 'd.txt', content: 'D' }]));

    const archive = await openArchive(join(folder, 'zips'));

    const contents = await contentsOf(archive.entries);
    assert.deepEqual(Object.keys(contents), ['a.zip/b.txt', 'below/c.zip', 'plain.zip']);
    assert.equal(contents['a.zip/b.txt'], 'B');
    await archive.close();
  });

  test('that are damaged or bombs are named, and are the error if nothing else is there', async () => {
    const good = zipOf([{ name: 'b.txt', content: 'B' }]);
    const bomb = zipOf([{ name: 'c.txt', content: Buffer.alloc(70 * 1024 * 1024).toString('latin1') }]);
    fileIn(folder, 'damaged/a.zip', good.subarray(0, -10));
    fileIn(folder, 'mixed/a.zip', good.subarray(0, -10));
    fileIn(folder, 'mixed/bomb.zip', bomb);
    fileIn(folder, 'mixed/good.zip', good);

    const archive = await openArchive(join(folder, 'mixed'));

    assert.deepEqual(archive.leftOut, [
      { why: 'unreadable', where: 'a.zip' },
      { why: 'harmful', where: 'bomb.zip' },
    ]);
    assert.deepEqual(
      archive.entries.map(({ name }) => name),
      ['good.zip/b.txt'],
    );
    await archive.close();
    await assert.rejects(openArchive(join(folder, 'damaged')), /damaged or incomplete/);
  });
});

describe('the hint for an archive of another format', () => {
  for (const [name, content, hint] of [
    ['chat.txt', '[13.6.2024 klo 15.04.05] A: hi', /a WhatsApp export: switchboard chat import whatsapp/],
    ['result.json', telegramFile(telegramChat([])), /a Telegram export/],
    ['x.json', '{"guild": {"id": "1"}, "channel": {}}', /a DiscordChatExporter file/],
    ['inbox.mbox', 'From alice@example.org Thu Jun 13 15:04:05 2024\nSubject: x\n\nhi', /an mbox file/],
    ['#x.log', '[15:04] <alice> hi\n[15:05] <bob> ho', /an IRC log/],
    ['slack/users.json', '[]', undefined],
  ] as const) {
    test(name, async () => {
      const path = fileIn(folder, `looks/${name}`, content);

      const { hint: said } = await wrongFormat(await openArchive(path), 'slack');

      if (hint) assert.match(said ?? '', hint);
      else assert.equal(said, undefined);
    });
  }

  test('a Slack folder', async () => {
    for (const name of ['users.json', 'channels.json']) fileIn(folder, `team/${name}`, '[]');

    assert.match((await wrongFormat(await openArchive(join(folder, 'team')), 'irc')).hint ?? '', /a Slack export/);
  });
});

async function openZipOf(entries: readonly ZipEntry[]) {
  zips += 1;
  return openArchive(fileIn(folder, `zip-${zips}.zip`, zipOf(entries)));
}

async function contentsOf(entries: readonly ArchiveEntry[]): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const entry of entries) contents[entry.name] = await text(entry.read());
  return contents;
}

async function linesIn(path: string, longest: number) {
  const { entries } = await openArchive(path);
  const [entry] = entries;
  assert(entry);
  const lines: EntryLine[] = [];
  for await (const line of linesOf(entry, longest, new AbortController().signal)) lines.push(line);
  return lines;
}

function inPieces(bytes: Buffer, size: number): ArchiveEntry {
  return {
    name: 'pieces',
    size: bytes.length,
    async *read() {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    },
  };
}

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ImportOptions } from '../../src/connectors/archive/importer.ts';
import { importerOf } from '../../src/connectors/archive/registry.ts';
import type { ArchiveFormat } from '../../src/domain/archive.ts';
import { type ChatLine, chatLines, differences, NONE } from '../support/archives/generated-chat.ts';
import { IRC_DIALECTS, readZnc, zncFiles } from '../support/archives/irc-dialects.ts';
import { archiveOf } from '../support/archives/memory-archive.ts';
import {
  discordExport,
  htmlExport,
  jsonExport,
  slackExport,
  whatsappExport,
} from '../support/archives/plain-exports.ts';
import { readOpened } from '../support/archives/read-archive.ts';
import { WHATSAPP_STYLES } from '../support/archives/whatsapp-export.ts';

type Files = Record<string, string>;

interface Case {
  format: ArchiveFormat;
  lines: fc.Arbitrary<ChatLine[]>;
  write(lines: readonly ChatLine[]): Files;
  read(files: Files): ChatLine[];
  options?: ImportOptions;
}

/** Writes an export, reads it as simply as possible and with the importer, and counts how far these differ. */
async function compare({ format, lines, write, read, options = {} }: Case): Promise<void> {
  const importer = await importerOf(format);
  await fc.assert(
    fc.asyncProperty(lines, async (written) => {
      const files = write(written);
      const reference = read(files);

      const { messages, skipped } = await readOpened(importer, archiveOf(files), options);

      const ours = messages.map(({ at, sender, text }) => ({ at, sender: sender.name, text }));
      assert.deepEqual(differences(ours, reference), NONE);
      assert.deepEqual(
        reference.slice(-written.length).map(({ sender, text }) => [sender, text]),
        written.map(({ sender, text }) => [sender, text]),
      );
      assert.deepEqual(
        skipped.filter(({ why }) => why !== 'presence'),
        [],
      );
    }),
    { numRuns: 15 },
  );
}

describe('a generated export has no difference to an independent reading of it', () => {
  for (const { name, second, longestGap, file, write, read } of IRC_DIALECTS) {
    test(`IRC logs of ${name}`, async () => {
      await compare({
        format: 'irc',
        lines: chatLines({ second, longestGap }),
        write: (lines) => ({ [file]: write(lines) }),
        read: (files) => read(files[file] ?? ''),
      });
    });
  }

  test('IRC logs of ZNC, a file for each day', async () => {
    await compare({
      format: 'irc',
      lines: chatLines({ second: 1, longestGap: 40_000 }),
      write: zncFiles,
      read: readZnc,
    });
  });

  for (const [pattern, line, read] of [
    [
      '{date} {time} <{nick}> {text}',
      ({ at, sender, text }: ChatLine) =>
        `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} <${sender}> ${text}`,
      (line: string) => {
        const [, time = '', sender = '', text = ''] = /^(.{19}) <(.*?)> (.*)$/.exec(line) ?? [];
        return { at: Date.parse(`${time.replace(' ', 'T')}Z`), sender, text };
      },
    ],
    [
      '{unixtime}\\t{nick}\\t{text}',
      ({ at, sender, text }: ChatLine) => `${at / 1000}\t${sender}\t${text}`,
      (line: string) => {
        const [time, sender = '', ...text] = line.split('\t');
        return { at: Number(time) * 1000, sender, text: text.join('\t') };
      },
    ],
  ] as const) {
    test(`IRC logs that --format '${pattern}' describes`, async () => {
      await compare({
        format: 'irc',
        lines: chatLines({ second: 1, longestGap: 100_000 }),
        write: (lines) => ({ '#chat.log': lines.map(line).join('\n') }),
        read: (files) => (files['#chat.log'] ?? '').split('\n').map(read),
        options: { lineFormats: [pattern] },
      });
    });
  }

  for (const style of WHATSAPP_STYLES.filter(({ name }) =>
    /^(?:German|English of the United|Swedish|Korean) /.test(name),
  )) {
    test(`WhatsApp, ${style.name}`, async () => {
      await compare({ format: 'whatsapp', ...whatsappExport(style) });
    });
  }

  test('Telegram as JSON', async () => {
    await compare({ format: 'telegram', lines: chatLines({ second: 1, longestGap: 100_000 }), ...jsonExport });
  });

  test('Telegram as HTML', async () => {
    await compare({ format: 'telegram', lines: chatLines({ second: 1, longestGap: 100_000 }), ...htmlExport });
  });

  test('Slack', async () => {
    await compare({ format: 'slack', lines: chatLines({ second: 1, longestGap: 100_000 }), ...slackExport });
  });

  test('Discord', async () => {
    await compare({ format: 'discord', lines: chatLines({ second: 1, longestGap: 100_000 }), ...discordExport });
  });
});

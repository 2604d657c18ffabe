import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { InboundMessage } from '../../src/domain/chat.ts';
import { type ChatCorpus, createChatCorpus } from './chat-corpus.ts';

/** A generated export of one chat or list, written message by message. */
export interface ArchiveFile {
  format: 'irc' | 'mbox' | 'telegram' | 'whatsapp';
  title: string;
  /** Of the messages; all are in one chat, except those of mail. */
  write(message: InboundMessage, index: number): string;
  before?: string;
  after?: string;
}

const MAX_IRC_LINE = 400;
const AT_ONCE = 500;

export const ARCHIVE_FILES: readonly ArchiveFile[] = [
  {
    format: 'irc',
    title: 'IRC',
    write: ({ at, sender, text }) =>
      `${secondsOf(at)} <${nickOf(sender.id)}> ${oneLine(text).slice(0, MAX_IRC_LINE)}\n`,
  },
  {
    format: 'mbox',
    title: 'mail',
    write: ({ at, sender, text }, index) =>
      [
        `From ${sender.id}@example.org Thu Jun 13 12:34:56 2024`,
        `From: ${sender.name} <${sender.id}@example.org>`,
        `Subject: ${index % 3 === 0 ? '' : 'Re: '}about ${Math.floor(index / 3)}`,
        `Date: ${new Date(at).toUTCString().replace('GMT', '+0000')}`,
        `Message-ID: <${index}@example.org>`,
        ...(index % 3 === 0 ? [] : [`In-Reply-To: <${index - 1}@example.org>`]),
        'Content-Type: text/plain; charset=utf-8',
        '',
        `${text.replaceAll(/^(>*From )/gm, '>$1')}\n\n`,
      ].join('\n'),
  },
  {
    format: 'telegram',
    title: 'Telegram',
    before: '{"name": "Big", "type": "private_supergroup", "id": 9, "messages": [\n',
    write: ({ at, sender, text }, index) =>
      (index === 0 ? '' : ',\n') +
      JSON.stringify({
        ...{ id: index + 1, type: 'message', date: secondsOf(at), date_unixtime: String(Math.floor(at / 1_000)) },
        ...{ from: sender.name, from_id: sender.id, text, text_entities: [{ type: 'plain', text }] },
      }),
    after: ']}',
  },
  {
    format: 'whatsapp',
    title: 'WhatsApp',
    write({ at, sender, text }) {
      const [date = '', time = ''] = secondsOf(at).split('T');
      return `[${date.split('-').reverse().join('.')}, ${time}] ${sender.name}: ${text}\n`;
    },
  },
];

/** Writes messages of the usual corpus. */
export async function writeArchive(
  { before = '', write, after = '' }: ArchiveFile,
  path: string,
  messages: number,
): Promise<void> {
  const corpus: ChatCorpus = createChatCorpus(messages);
  const file = createWriteStream(path);
  file.write(before);
  for (let start = 0; start < messages; start += AT_ONCE) {
    const count = Math.min(AT_ONCE, messages - start);
    const part = Array.from({ length: count }, (_, index) =>
      write(corpus.message(start + index).message, start + index),
    );
    if (!file.write(part.join(''))) await once(file, 'drain');
  }
  file.end(after);
  await once(file, 'finish');
}

function secondsOf(at: number): string {
  return new Date(at).toISOString().slice(0, 19);
}

function nickOf(id: string): string {
  return id.replaceAll(/[\s<>]/g, '_');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { ArchiveFormat } from '../../../src/domain/archive.ts';
import { telegramFile, telegramMessage } from './telegram-export.ts';

interface Parts {
  before?: string;
  between?: string;
  after?: string;
  /** The message with this number, counted from 1. */
  message(number: number): string;
}

const START = Date.UTC(2020, 0, 1);
const STEP_MS = 7_000;

/** Texts of any length from a word to a page, with words of their own. */
const textOf = (number: number) =>
  `päivää ${number} ${`word${number % 997} `.repeat(number % 50)}${number % 1_000 === 0 ? 'page '.repeat(2_000) : ''}`;
const timeOf = (number: number) => new Date(START + number * STEP_MS);

const PARTS: Partial<Record<ArchiveFormat, Parts>> = {
  telegram: {
    before: '{"name": "Big", "type": "private_supergroup", "id": 9, "messages": [\n',
    between: ',\n',
    after: '\n]}',
    message: (number) => telegramFile(telegramMessage(number, { text: textOf(number) })),
  },
  irc: {
    message: (number) => `${timeOf(number).toISOString().slice(0, 19)} <user${number % 500}> ${textOf(number)}\n`,
  },
  whatsapp: {
    message(number) {
      const [date = '', time = ''] = timeOf(number).toISOString().slice(0, 19).split('T');
      return `[${date.split('-').reverse().join('.')}, ${time}] User ${number % 500}: ${textOf(number)}\n`;
    },
  },
  mbox: {
    // Most begin a conversation: their ids and subjects are remembered.
    message: (number) =>
      [
        'From a@example.org Thu Jun 13 12:34:56 2024',
        `From: User ${number % 500} <user${number % 500}@example.org>`,
        `Subject: ${number % 3 === 0 ? 'Re: ' : ''}about ${number} ${'and so on '.repeat(number % 10)}`,
        `Date: ${timeOf(number).toUTCString().replace('GMT', '+0000')}`,
        `Message-ID: <${number}.${'x'.repeat(number % 40)}@example.org>`,
        ...(number % 3 === 0 ? [`References: <${number - 1}.${'x'.repeat((number - 1) % 40)}@example.org>`] : []),
        'Content-Type: text/plain; charset=utf-8',
        '',
        `${textOf(number)}\n\n`,
      ].join('\n'),
  },
};

/** Writes an export of about so many bytes, and returns how many messages are in it. */
export function writeBigExport(format: ArchiveFormat, path: string, bytes: number): number {
  const parts = PARTS[format];
  if (!parts) throw new Error(`no big export of ${format}`);
  const { before = '', between = '', after = '', message } = parts;
  const file = openSync(path, 'w');
  let [written, number] = [writeSync(file, before), 0];
  while (written < bytes) {
    const messages = Array.from({ length: 500 }, (_, index) => message(number + index + 1));
    written += writeSync(file, (number === 0 ? '' : between) + messages.join(between));
    number += messages.length;
  }
  writeSync(file, after);
  closeSync(file);
  return number;
}

const FILES_PER_FOLDER = 1_000;

/** Writes a folder with an email in each of many files, as mail programs keep them. */
export function writeManyEmails(folder: string, count: number): void {
  for (let number = 0; number < count; number++) {
    const within = join(folder, String(Math.floor(number / FILES_PER_FOLDER)).padStart(3, '0'));
    if (number % FILES_PER_FOLDER === 0) mkdirSync(within, { recursive: true });
    const [, ...lines] = PARTS.mbox?.message(number + 1).split('\n') ?? [];
    writeFileSync(join(within, `${number}.eml`), lines.join('\n'));
  }
}

const LONG_CHARACTERS = 1_000_000;
const WORDS_PER_LINE = 10;

/** Writes emails of a million characters; each word occurs once. */
export function writeLongEmails(path: string, count: number): void {
  const file = openSync(path, 'w');
  let words = 0;
  const word = () => ((words++ * 7_919) % 4_294_967_291).toString(36);
  for (let number = 0; number < count; number++) {
    const lines: string[] = [];
    for (let length = 0; length < LONG_CHARACTERS; length += lines.at(-1)?.length ?? 0) {
      lines.push(Array.from({ length: WORDS_PER_LINE }, word).join(' '));
    }
    writeSync(file, `From a@example.org Thu Jun 13 12:34:56 2024\nFrom: ada@example.org\n`);
    writeSync(file, `Date: ${timeOf(number).toUTCString()}\nSubject: long ${number}\n\n${lines.join('\n')}\n\n`);
  }
  closeSync(file);
}

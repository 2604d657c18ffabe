import { gunzipSync } from 'node:zlib';

export interface ReferenceLetter {
  id: string;
  at: number;
  sender: string;
  name: string;
  text: string;
  replyTo: string | undefined;
}

/**
 * Reads the letters of a mailing list in the simplest way, without any code of the program: a regular expression finds the
 * letters, and `TextDecoder` reads them.
 */
export function readMbox(file: Buffer): ReferenceLetter[] {
  const text = (file[0] === 0x1f ? gunzipSync(file) : file).toString('latin1');
  const separator = /(?<=^|\n[ \t\r]*\n)From .*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}\n/;
  return text.split(separator).slice(1).map(readLetter);
}

function readLetter(letter: string): ReferenceLetter {
  const end = letter.indexOf('\n\n');
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(letter.slice(0, end))?.[1] ?? '';
  const quoted = letter.slice(end + 2).replaceAll(/^>(>*From )/gm, '$1');
  const body = transferred(quoted, field('Content-Transfer-Encoding'));
  const charset = /charset="(.*?)"/.exec(field('Content-Type'))?.[1];
  const subject = header(field('Subject'));
  const [, mailbox = '', host = '', name = ''] = /^(\S+) at (\S+) \((.*)\)$/.exec(field('From')) ?? [];
  const own = decoded(body, charset).replaceAll('\r\n', '\n').trim();
  return {
    id: field('Message-ID').slice(1, -1),
    at: Date.parse(field('Date')),
    sender: `${mailbox}@${host}`,
    name: header(name),
    text: subject.startsWith('Re: ') ? own : `${subject}\n\n${own}`,
    replyTo: field('In-Reply-To').slice(1, -1) || undefined,
  };
}

function transferred(body: string, encoding: string): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('latin1');
  if (encoding !== 'quoted-printable') return body;
  return body.replaceAll(/=([\dA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

function header(value: string): string {
  const word = /^=\?utf-8\?B\?(.*)\?=$/.exec(value)?.[1];
  return word === undefined ? decoded(value) : Buffer.from(word, 'base64').toString('utf8');
}

function decoded(bytes: string, charset?: string): string {
  const buffer = Buffer.from(bytes, 'latin1');
  if (charset !== undefined && charset !== 'utf-8') return new TextDecoder(charset).decode(buffer);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer);
  } catch {
    return new TextDecoder('windows-1252').decode(buffer);
  }
}

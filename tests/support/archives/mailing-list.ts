import { gzipSync } from 'node:zlib';

/** One letter of a mailing list, as its program knows it. */
export interface ListLetter {
  id: string;
  /** In milliseconds. */
  at: number;
  address: string;
  name: string;
  subject: string;
  body: string;
  answers?: string;
  charset: string;
  /** Whether the headers name the character set. */
  isNamed: boolean;
  encoding: '8bit' | 'quoted-printable' | 'base64';
}

const MONTHS = ['May', 'June', 'July', 'August', 'September', 'October', 'November', 'December', 'January', 'February'];
const BEGIN = Date.UTC(2007, 4, 1);
const PEOPLE = [
  ['ada at example.test', 'Ada Lovelace'],
  ['andre at example.test', 'André Müller'],
  ['ivan at example.test', 'Иван Петров'],
  ['bo at sub.example.test', 'Bo'],
] as const;
const BODIES = [
  'We meet at noon.\n\nFrom there we walk.\nFrom now on: daily.',
  'Der Käse ist schön groß, für 5 Euro.\n\n> quoted\n>> twice\n>From the past',
  'Привет, когда будет готова новая версия программы? Я нашёл ошибку в установке, она не работает.',
  'caf\u00e9 au lait \u2013 \u201cquoted\u201d \u2026',
  '\n\nFrom someone at example.org  sent a note\nNote: this is text\n\nFrom me to you, 12:30 in 2007\nStart: now',
  'x',
  'line\n   \n\tindented\n\n\nend',
  '🙂 and 漢字',
];

/** The letters of ten months, always the same ones. */
export function listLetters(count: number): ListLetter[] {
  let state = 12345;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  return Array.from({ length: count }, (_, index) => {
    const body = BODIES[next(BODIES.length)] ?? '';
    const [address, name] = PEOPLE[next(PEOPLE.length)] ?? PEOPLE[0];
    const answers = index > 0 && next(2) === 0 ? `${next(index)}@example.test` : undefined;
    const charset = charsetFor(`${name}${body}`, next(2));
    return {
      id: `${index}@example.test`,
      at: BEGIN + Math.floor((index * 300 * 86_400_000) / count / 1_000) * 1_000,
      address,
      name,
      subject: `${answers === undefined ? '' : 'Re: '}Größe ${next(20)}`,
      body: `${index}\n${body}`,
      ...(answers === undefined ? {} : { answers }),
      charset,
      isNamed: charset === 'koi8-r' || next(2) === 0,
      encoding: (['8bit', '8bit', 'quoted-printable', 'base64'] as const)[next(4)] ?? '8bit',
    };
  });
}

/** Names are in UTF-8 or Windows-1252 in the headers, so one with other letters has an encoded word. */
function charsetFor(text: string, choice: number): string {
  if (/[🙂漢]/u.test(text)) return 'utf-8';
  if (/[а-я]/i.test(text)) return choice === 0 && !/[\u2013ä]/.test(text) ? 'koi8-r' : 'utf-8';
  return choice === 0 ? 'windows-1252' : 'utf-8';
}

/** The files that Mailman offers for download: one per month, each in another form. */
export function listFiles(letters: readonly ListLetter[]): { name: string; content: Buffer }[] {
  return [...Map.groupBy(letters, ({ at }) => monthOf(at))].map(([month, ofMonth], index) => {
    const content = Buffer.concat(ofMonth.map((letter, position) => rawLetter(letter, index + position)));
    if (index % 3 === 0) return { name: `${month}.txt`, content };
    return { name: `${month}.${index % 3 === 1 ? 'txt' : 'mbox'}.gz`, content: gzipSync(content) };
  });
}

function monthOf(at: number): string {
  const date = new Date(at);
  return `${date.getUTCFullYear()}-${MONTHS[(date.getUTCMonth() + 8) % 12] ?? ''}`;
}

/** Letters end with an empty line, or one that only looks so. */
const ENDS = ['\n\n', '\n \n', '\n\t\n', '\n\r\n'];

function rawLetter(letter: ListLetter, index: number): Buffer {
  const { id, at, address, name, subject, answers, charset, isNamed, encoding } = letter;
  const stamp = new Date(at).toUTCString().replace('GMT', '+0000');
  const [day, date, month, year, time] = new Date(at).toUTCString().replace(',', '').split(' ');
  const head = [
    `From ${address}  ${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`,
    `From: ${address} (${/[а-я]/i.test(name) ? encodedWord(name) : name})`,
    `Date: ${stamp}`,
    `Subject: ${subject.length % 2 === 0 ? subject : encodedWord(subject)}`,
    ...(answers === undefined ? [] : [`In-Reply-To: <${answers}>`]),
    `Message-ID: <${id}>`,
    ...(isNamed ? [`Content-Type: text/plain; charset="${charset}"`] : []),
    ...(encoding === '8bit' ? [] : [`Content-Transfer-Encoding: ${encoding}`]),
  ].join('\n');
  return Buffer.concat([
    encode(`${head}\n\n`, charset === 'koi8-r' ? 'utf-8' : charset),
    withQuotedLines(transferred(encode(letter.body, charset), encoding)),
    Buffer.from(ENDS[index % ENDS.length] ?? ''),
  ]);
}

/** Some programs quote every line that begins so, others only those that look like the line before a letter. */
function withQuotedLines(body: Buffer): Buffer {
  const quoted = body
    .toString('latin1')
    .replaceAll(/^>*From .*$/gm, (line) => (/ at \S+ {2}| to you, /.test(line) ? line : `>${line}`));
  return Buffer.from(quoted, 'latin1');
}

function transferred(bytes: Buffer, encoding: ListLetter['encoding']): Buffer {
  if (encoding === 'base64') return Buffer.from(bytes.toString('base64').replaceAll(/.{76}/g, '$&\n'));
  if (encoding === '8bit') return bytes;
  const hex = (character: string) => `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return Buffer.from(bytes.toString('latin1').replaceAll(/[^\n -<>-~]| $/gm, hex), 'latin1');
}

function encodedWord(text: string): string {
  return `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
}

const tables = new Map<string, Map<string, number>>();

/** Of the character sets with one byte per character. */
function encode(text: string, charset: string): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  const decoder = new TextDecoder(charset);
  const table =
    tables.get(charset) ??
    new Map(Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]));
  tables.set(charset, table);
  return Buffer.from([...text].map((character) => table.get(character) ?? 0x3f));
}

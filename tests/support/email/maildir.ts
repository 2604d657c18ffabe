import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

export type SystemFlag = '\\Draft' | '\\Flagged' | '\\Answered' | '\\Seen' | '\\Deleted';

export interface Delivery {
  /** Created if it is missing. */
  folder?: string;
  flags?: readonly SystemFlag[];
  receivedAt?: number;
}

export interface StoredMail {
  raw: string;
  /** System flags and keywords. */
  flags: readonly string[];
}

const PARTS = ['cur', 'new', 'tmp'];

/** In the order that the names of files require. */
const LETTERS: readonly [SystemFlag, string][] = [
  ['\\Draft', 'D'],
  ['\\Flagged', 'F'],
  ['\\Answered', 'R'],
  ['\\Seen', 'S'],
  ['\\Deleted', 'T'],
];

/** The mail of one user, as files. */
export function maildir(root: string, separator: string, owner: { uid: number; gid: number }) {
  let count = 0;
  const pathOf = (folder: string) => (folder === 'INBOX' ? root : join(root, ...folder.split(separator)));

  const create = (path: string) => {
    if (!existsSync(dirname(path))) create(dirname(path));
    for (const each of [path, ...PARTS.map((name) => join(path, name))].filter((each) => !existsSync(each))) {
      mkdirSync(each);
      own(each);
    }
  };
  const own = (path: string) => {
    if (process.getuid?.() === 0) chownSync(path, owner.uid, owner.gid);
  };

  return {
    create: (folder: string) => create(pathOf(folder)),
    deliver(raw: string | Uint8Array, { folder = 'INBOX', flags = [], receivedAt = Date.now() }: Delivery) {
      const path = pathOf(folder);
      if (!existsSync(join(path, 'tmp'))) create(path);
      const bytes = Buffer.from(raw);
      count += 1;
      // Dovecot numbers them in the order of these names.
      const name = `${Math.floor(Date.now() / 1_000)}.M${String(count).padStart(9, '0')}.test,S=${bytes.length}`;
      const letters = LETTERS.flatMap(([flag, letter]) => (flags.includes(flag) ? [letter] : []));
      const draft = join(path, 'tmp', name);
      writeFileSync(draft, bytes);
      utimesSync(draft, receivedAt / 1_000, receivedAt / 1_000);
      own(draft);
      renameSync(
        draft,
        flags.length === 0 ? join(path, 'new', name) : join(path, 'cur', `${name}:2,${letters.join('')}`),
      );
    },
    /** Dovecot writes the microseconds in names without leading zeros. */
    mails(folder = 'INBOX'): readonly StoredMail[] {
      const path = pathOf(folder);
      const keywords = keywordsOf(path);
      return ['cur', 'new']
        .flatMap((part) =>
          existsSync(join(path, part)) ? readdirSync(join(path, part)).map((name) => [part, name]) : [],
        )
        .sort(([, a = ''], [, b = '']) => a.localeCompare(b, 'en', { numeric: true }))
        .map(([part = '', name = '']) => ({
          raw: readFileSync(join(path, part, name), 'latin1'),
          flags: flagsOf(name, keywords),
        }));
    },
  };
}

function flagsOf(name: string, keywords: ReadonlyMap<string, string>): readonly string[] {
  const letters = [...(/:2,(\w*)$/.exec(name)?.[1] ?? '')];
  return letters.flatMap((letter) => LETTERS.find(([, known]) => known === letter)?.[0] ?? keywords.get(letter) ?? []);
}

/** Dovecot's letters for keywords: `0 $Forwarded` is `a`. */
function keywordsOf(path: string): ReadonlyMap<string, string> {
  const file = join(path, 'dovecot-keywords');
  if (!existsSync(file)) return new Map();
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return new Map(
    lines.map((line) => {
      const [index, keyword = ''] = line.split(' ');
      return [String.fromCharCode(97 + Number(index)), keyword];
    }),
  );
}

import type { Reader } from '../database.ts';
import { fold } from './fold.ts';
import { trigramsOf } from './term-search.ts';
import { tokenize } from './tokenize.ts';

/** Only senders of these sources, by key; all if undefined. */
type Sources = readonly number[] | undefined;

/** Senders with this id, or with a name that contains the text. */
export function sendersNamed(reader: Reader, wanted: string, sources: Sources): number[] {
  const part = fold(wanted).trim();
  return find(reader, { wanted, part, like: '' }, { parts: [part], sources }).map(({ key }) => key);
}

/** The same, or with an address that contains the words of the text. */
export function sendersAddressed(reader: Reader, wanted: string, sources: Sources): number[] {
  const part = fold(wanted).trim();
  const words = tokenize(part).tokens;
  const [first = ''] = words;
  // A part of a number is not a name.
  const isWordy = words.some((word) => /\p{L}/u.test(word));
  const condition = { wanted, part, like: isWordy ? `%${first}%` : '' };
  return find(reader, condition, { parts: isWordy ? [part, first] : [part], sources })
    .filter(({ id, is_named: isNamed }) => isNamed === 1 || hasWords(id, words))
    .map(({ key }) => key);
}

interface Condition {
  /** The id. */
  wanted: string;
  /** In the folded name; not if empty. */
  part: string;
  /** A pattern of the id; none if empty. */
  like: string;
}

interface FoundSender {
  key: number;
  id: string;
  is_named: number;
}

/** `parts`: a sender that fits has one of these in its name or id. */
function find(
  reader: Reader,
  { wanted, part, like }: Condition,
  { parts, sources }: { parts: readonly string[]; sources: Sources },
): FoundSender[] {
  const within = sources ? ' and +s.source in (select value from json_each(?4))' : ' and ?4 is not null';
  const values = [wanted, part, like, JSON.stringify(sources ?? [])];
  // Shorter ones have no trigrams.
  const isIndexed = parts.every((each) => [...each].length >= MIN_PART);
  if (!isIndexed)
    return reader.all<FoundSender>(`select ${COLUMNS} from senders as s where ${FITS}${within}`, ...values);
  // What contains a part contains the parts of it: fewer trigrams are looked up.
  const all = [...new Set(parts)];
  const needed = all.filter((each) => !all.some((other) => other !== each && each.includes(other)));
  const match = needed.map((each) => `(${trigramsOf(each)})`).join(' OR ');
  return reader.all<FoundSender>(`${BY_TRIGRAMS} where ${FITS}${within}`, ...values, match);
}

const MIN_PART = 3;
const COLUMNS = `s.key, s.id, (s.id = ?1 or (?2 <> '' and instr(s.folded_name, ?2) > 0)) as is_named`;
const FITS = `(is_named or (?3 <> '' and s.id like ?3))`;
const BY_TRIGRAMS = `
  select ${COLUMNS} from (
    select rowid as key from sender_names where sender_names match ?5
    union select key from senders where source in (select key from chat_sources) and id = ?1) as found cross join senders as s on s.key = found.key`;

/** Whether the words are consecutive in the id; the last one may be the beginning of a word. */
function hasWords(id: string, words: readonly string[]): boolean {
  const all = ` ${tokenize(fold(id)).tokens.join(' ')}`;
  return all.includes(` ${words.join(' ')}`);
}

import { plain, withoutLeadingMarks } from './plain.ts';

export interface Speaker {
  name: string;
  /** Senders that are not in the contacts of the phone are written with a tilde. */
  isStranger: boolean;
  text: string;
}

const MAX_NAME = 100;
/** Of a name, and the one after it. */
const MAX_COLONS = 4;
/** A name with more words than this is a sentence. */
const SENTENCE_WORDS = 4;
/** A name that occurs more often than this is a sender, even if it looks unusual. */
const MAX_ANNOUNCEMENTS = 3;

/**
 * The apparent senders after a header, and the text: a name may contain colons, so that each colon may be the one
 * after it. Empty if there is no sender.
 */
export function speakersOf(rest: string): Speaker[] {
  const line = withoutLeadingMarks(rest);
  const speakers: Speaker[] = [];
  for (const { 0: colon, index } of line.matchAll(/:(?:[\p{Zs}\t]|$)/gu)) {
    if (index === 0 || index > MAX_NAME || speakers.length === MAX_COLONS) break;
    const written = plain(line.slice(0, index));
    const name = written.replace(/^~ ?/, '');
    if (name === '') break;
    speakers.push({ name, isStranger: written !== name, text: line.slice(index + colon.length) });
  }
  return speakers;
}

/**
 * Whether this is a system message: in `Alice changed the subject to “y: z”` the part before the colon is not a
 * sender.
 */
export function isAnnouncement(name: string, speakers: ReadonlyMap<string, number>): boolean {
  const times = speakers.get(name) ?? 0;
  if (!isBalanced(name)) return times <= MAX_ANNOUNCEMENTS;
  if (times > 1) return false;
  const words = name.split(' ');
  return words.some(
    (_, length) =>
      length > 0 && words.length - length >= SENTENCE_WORDS && speakers.has(words.slice(0, length).join(' ')),
  );
}

/** A name that was cut out of a sentence often ends inside quotation marks. */
function isBalanced(name: string): boolean {
  const count = (mark: string) => name.split(mark).length - 1;
  // A closing quotation mark in German is an opening one in English.
  const pairs = [name.includes('„') ? '„“' : '“”', '«»', '「」', '『』'];
  return count('"') % 2 === 0 && pairs.every(([open = '', close = '']) => count(open) <= count(close));
}

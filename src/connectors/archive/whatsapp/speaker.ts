import { plain, withoutLeadingMarks } from './plain.ts';

export interface Speaker {
  name: string;
  /** Not in the contacts of whoever exported: written with a tilde. */
  isStranger: boolean;
  text: string;
}

const MAX_NAME = 100;
/** So many words more than a name make a sentence. */
const SENTENCE_WORDS = 4;
/** What was said more often under a name is said by somebody, however strange the name is. */
const MAX_ANNOUNCEMENTS = 3;

/** Who seems to speak in what follows a header, and what they say; undefined where nobody is named. */
export function speakerOf(rest: string): Speaker | undefined {
  const line = withoutLeadingMarks(rest);
  const colon = /:(?:[\p{Zs}\t]|$)/u.exec(line);
  if (!colon || colon.index === 0 || colon.index > MAX_NAME) return undefined;
  const written = plain(line.slice(0, colon.index));
  const name = written.replace(/^~ ?/, '');
  if (name === '') return undefined;
  return { name, isStranger: written !== name, text: line.slice(colon.index + colon[0].length) };
}

/** Whether it was WhatsApp that said this: `Alice changed the subject to “y: z”` is no word of a certain `Alice changed …`. */
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

/** A name that was cut out of a sentence often ends within its quotation marks. */
function isBalanced(name: string): boolean {
  const count = (mark: string) => name.split(mark).length - 1;
  // What closes a quotation in German opens one in English.
  const pairs = [name.includes('„') ? '„“' : '“”', '«»', '「」', '『』'];
  return count('"') % 2 === 0 && pairs.every(([open = '', close = '']) => count(open) <= count(close));
}

import { visible } from './visible.ts';

/** Characters of a name that are shown, and how long they are if hidden ones are written out. */
const MAX_LENGTH = 100;
const MAX_WRITTEN = 300;

/**
 * A name that another user chose, within a line of ours: on one line, shortened, and in quotes if it could be read as
 * more than a name. `ends` matches what follows names in this line.
 */
export function shownName(name: string, ends: RegExp): string {
  const short = shortened(name);
  const shown = visible(short);
  return isPlain(short, shown) && !ends.test(shown) ? shown : quoted(short);
}

/** A name in quotes, which it cannot close. */
export function quotedName(name: string): string {
  return quoted(shortened(name));
}

function isPlain(name: string, shown: string): boolean {
  return shown === name && name.trim() === name && name !== '' && !/^["'`«»“”„]/.test(name);
}

function quoted(name: string): string {
  return `"${visible(name.replace(/["\\]/g, '\\$&'))}"`;
}

function shortened(name: string): string {
  if (name.length * MOST_PER_UNIT <= MAX_WRITTEN) return name;
  let characters = [...name.slice(0, 2 * MAX_LENGTH)].slice(0, MAX_LENGTH);
  for (let length = writtenLength(characters); length > MAX_WRITTEN; length = writtenLength(characters)) {
    characters = characters.slice(0, Math.floor((characters.length * MAX_WRITTEN) / length));
  }
  const short = characters.join('');
  return short.length < name.length ? `${short}…` : name;
}

/** Of a hidden character as it is written out. */
const MOST_PER_UNIT = 6;

function writtenLength(characters: readonly string[]): number {
  return visible(characters.join('')).length;
}

import { visible } from './visible.ts';

/** Characters of a name that are shown. */
const MAX_LENGTH = 100;

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
  if (name.length <= MAX_LENGTH) return name;
  const characters = [...name.slice(0, 2 * MAX_LENGTH)];
  return characters.length <= MAX_LENGTH && name.length <= 2 * MAX_LENGTH
    ? name
    : `${characters.slice(0, MAX_LENGTH).join('')}…`;
}

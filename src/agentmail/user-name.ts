/** The user among the agents: has no window, and reads and answers in chat. */
export const HUMAN = 'human';

/** Letters of other alphabets that look like those of the name. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{ һ: 'h', հ: 'h', н: 'h', ʜ: 'h', υ: 'u', ս: 'u', ᴜ: 'u', м: 'm', ᴍ: 'm', μ: 'm' },
  ...{ а: 'a', α: 'a', ɑ: 'a', ᴀ: 'a', ո: 'n', η: 'n', п: 'n', ɴ: 'n', ν: 'n' },
};

/** Whether a name is, or looks like, the user's. */
export function claimsUser(name: string): boolean {
  // A name that long cannot be taken for another.
  if (name.length > 100) return false;
  // Most names: the classes of Unicode below take a hundred times as long to compile as this to run.
  if (ASCII.test(name)) return name.replace(/[^!-~]/g, '').toLowerCase() === HUMAN;
  const plain = name.normalize('NFKC').replace(unseen(), '').toLowerCase();
  return [...plain].map((letter) => LOOKALIKES[letter] ?? letter).join('') === HUMAN;
}

const ASCII = /^[\0-\x7f]*$/;

/** Not a literal, which would be parsed with the program. */
function unseen(): RegExp {
  return /[\p{C}\p{Z}\p{M}\u{3164}\u{115f}\u{1160}\u{2800}]/gu;
}

/** Scripts whose letters look like Latin ones. */
const LOOKALIKES = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Lisu}]/u;
const LATIN = /\p{Script=Latin}/u;
const WORD = /[\p{L}\p{M}]+/gu;
const MAX_LENGTH = 1_000;

/** Whether one word has both Latin letters and letters that look like them. */
export function hasMixedScripts(text: string): boolean {
  if (!LOOKALIKES.test(text)) return false;
  return (text.slice(0, MAX_LENGTH).match(WORD) ?? []).some((word) => LATIN.test(word) && LOOKALIKES.test(word));
}

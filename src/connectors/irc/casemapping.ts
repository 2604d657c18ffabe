/** Normalizes names that the server treats as equal. */
export type Fold = (name: string) => string;

/** How the server compares names, from its ISUPPORT. `utf8` is for names beyond ASCII, which few servers support. */
export function foldingOf(casemapping: unknown, utf8?: unknown): Fold {
  if (typeof utf8 === 'string') return foldUnicode;
  switch (casemapping) {
    case 'ascii':
      return foldAscii;
    case 'rfc7613':
    case 'precis':
      return foldUnicode;
    case 'strict-rfc1459':
      return (name) => foldAscii(name).replace(/[[\]\\]/g, foldBracket);
    default:
      return (name) => foldAscii(name).replace(/[[\]\\^]/g, foldBracket);
  }
}

function foldUnicode(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function foldAscii(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/** In RFC 1459 these characters are upper and lower case of each other. */
function foldBracket(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 32);
}

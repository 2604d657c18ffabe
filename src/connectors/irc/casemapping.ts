/** Makes names comparable that the server takes for the same. */
export type Fold = (name: string) => string;

/** How a server compares names, by what it says of itself. `utf8` tells of names beyond ASCII, which few servers have. */
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

/** Scandinavian keyboards of 1988: these are the small letters of those. */
function foldBracket(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 32);
}

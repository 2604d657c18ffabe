/** The names of the characters from 160 on, in their order; then other common ones. */
const LATIN =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml';
const OTHERS =
  'amp& lt< gt> quot" apos\' euro€ ndash– mdash— lsquo‘ rsquo’ sbquo‚ ldquo“ rdquo” bdquo„ hellip… bull• trade™ larr← uarr↑ rarr→ darr↓ harr↔ rArr⇒ prime′ Prime″ lsaquo‹ rsaquo› permil‰ dagger† Dagger‡ circˆ tilde˜ OElig\u0152 oelig\u0153 Scaron\u0160 scaron\u0161 Yuml\u0178 fnof\u0192 minus− ne≠ le≤ ge≥ asymp≈ infin∞ sum∑ radic√ part∂ check✓ star☆ starf★ hearts♥ ensp\u2002 emsp\u2003 thinsp\u2009 zwnj\u200c zwj\u200d lrm\u200e rlm\u200f alphaα betaβ gammaγ deltaδ piπ sigmaσ omegaω muμ lambdaλ';
const CHARACTERS = new Map<string, string>([
  ...LATIN.split(' ').map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ...OTHERS.split(/ (?=[a-z])/i).map((each): [string, string] => [each.slice(0, -1), each.slice(-1)]),
]);

/** Numbers from 128 to 159 mean Windows-1252 characters, as in all browsers. */
const WINDOWS = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, index) => 128 + index));

/** Decodes characters written by name or number. Unknown ones are left unchanged. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(
    /&(?:#(\d{1,7});?|#x([\da-f]{1,6});?|([a-z][a-z\d]{1,9});)/gi,
    (whole, decimal?: string, hex?: string, name?: string) =>
      name === undefined
        ? fromNumber(decimal ? Number(decimal) : Number.parseInt(hex ?? '', 16))
        : (CHARACTERS.get(name) ?? whole),
  );
}

function fromNumber(code: number): string {
  if (code >= 128 && code < 160) return WINDOWS[code - 128] ?? '';
  const isCharacter = code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return isCharacter ? String.fromCodePoint(code) : '\ufffd';
}

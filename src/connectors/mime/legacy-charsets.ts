/** Character sets that are still found in mail and that `TextDecoder` does not know. */

export const LEGACY_CHARSETS: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['utf-7', decodeUtf7],
  ['unicode-1-1-utf-7', decodeUtf7],
  ['iso-2022-kr', decodeIso2022Kr],
  ['hz-gb-2312', decodeHz],
  ['cp437', (bytes: Buffer) => fromTable(bytes, CP437)],
  ['cp850', (bytes: Buffer) => fromTable(bytes, CP850)],
]);

/** RFC 2152: `+` begins UTF-16 in base64, `-` or any other character ends it. */
function decodeUtf7(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\+([A-Za-z\d/]*)-?/g, (whole, encoded: string) =>
      encoded === '' ? (whole === '+-' ? '+' : whole) : utf16(Buffer.from(encoded, 'base64')),
    );
}

function utf16(bytes: Buffer): string {
  return bytes
    .subarray(0, bytes.length & ~1)
    .swap16()
    .toString('utf16le')
    .toWellFormed();
}

const [ESCAPE, SHIFT_OUT, SHIFT_IN, TILDE, NEWLINE] = [0x1b, 0x0e, 0x0f, 0x7e, 0x0a];
const [OPENING_BRACE, CLOSING_BRACE] = [0x7b, 0x7d];

/** RFC 1557: between shift-out and shift-in, pairs of 7-bit characters are EUC-KR without its high bits. */
function decodeIso2022Kr(bytes: Buffer): string {
  const output = Buffer.allocUnsafe(bytes.length);
  let [length, isKorean] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] as number;
    if (byte === SHIFT_OUT) isKorean = true;
    else if (byte === SHIFT_IN) isKorean = false;
    else if (byte === ESCAPE && bytes.toString('latin1', at + 1, at + 4) === '$)C') at += 3;
    else {
      if (byte === NEWLINE) isKorean = false;
      output[length++] = isKorean && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder('euc-kr').decode(output.subarray(0, length));
}

/** RFC 1843: between `~{` and `~}`, pairs of 7-bit characters are GB 2312 without its high bits. */
function decodeHz(bytes: Buffer): string {
  const output = Buffer.allocUnsafe(bytes.length);
  let [length, isChinese] = [0, false];
  for (let at = 0; at < bytes.length; at++) {
    const [byte, next] = [bytes[at] as number, bytes[at + 1]];
    if (byte === TILDE && next === OPENING_BRACE) [isChinese, at] = [true, at + 1];
    else if (byte === TILDE && next === CLOSING_BRACE) [isChinese, at] = [false, at + 1];
    else if (byte === TILDE && next === NEWLINE) at += 1;
    else {
      if (byte === TILDE && next === TILDE) at += 1;
      if (byte === NEWLINE) isChinese = false;
      output[length++] = isChinese && byte > 0x20 ? byte | 0x80 : byte;
    }
  }
  return new TextDecoder('gbk').decode(output.subarray(0, length));
}

function fromTable(bytes: Buffer, upperHalf: string): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\xff]/g, (character) => upperHalf[character.charCodeAt(0) - 0x80] ?? '');
}

/** The code pages of DOS, from 128 on. */
const CP437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\xa0';
const CP850 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\xad±‗¾¶§÷¸°¨·¹³²■\xa0';

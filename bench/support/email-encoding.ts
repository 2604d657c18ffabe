/** Base64 in lines, as in the body of an email. */
export function base64Lines(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n');
}

/** Quoted-printable (RFC 2045, 6.7). */
export function quotedPrintable(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes).toString('latin1').split('\n');
  return lines.map((line) => softlyBroken(line.replace(/[^\t -<>-~]/g, escaped).replace(/[ \t]$/, escaped))).join('\n');
}

function escaped(character: string): string {
  return `=${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/** Lines of at most 76 characters, each but the last with an equals sign at its end. */
function softlyBroken(line: string): string {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > 76) {
    const equals = rest.lastIndexOf('=', 74);
    const end = equals > 72 ? equals : 75;
    pieces.push(`${rest.slice(0, end)}=`);
    rest = rest.slice(end);
  }
  return [...pieces, rest].join('\n');
}

/** A header value as encoded words (RFC 2047), if it needs them. */
export function headerText(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  const pieces = text.match(/.{1,14}/gu) ?? [];
  return pieces.map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`).join('\n ');
}

const encoders = new Map<string, (text: string) => Uint8Array>();

/** Text in a charset that Node decodes but does not encode. What the charset lacks becomes a question mark. */
export function encodeText(text: string, charset: string): Uint8Array {
  if (charset === 'utf-8' || charset === 'us-ascii') return Buffer.from(text);
  const encode = encoders.get(charset) ?? encoderOf(charset);
  encoders.set(charset, encode);
  return encode(text);
}

function encoderOf(charset: string): (text: string) => Uint8Array {
  const bytes = bytesByCharacter(charset);
  return (text) => Buffer.concat([...text].map((character) => bytes.get(character) ?? Buffer.from('?')));
}

/** Every character that the charset has in one byte, or in two after a lead byte. */
function bytesByCharacter(charset: string): Map<string, Buffer> {
  const decoder = new TextDecoder(charset);
  const found = new Map<string, Buffer>();
  const note = (bytes: Buffer) => {
    const text = decoder.decode(bytes);
    if ([...text].length === 1 && text !== '\ufffd') found.set(text, found.get(text) ?? bytes);
  };
  for (let byte = 0; byte < 256; byte++) note(Buffer.of(byte));
  if (charset !== 'gbk') return found;
  for (let lead = 0x81; lead < 0xff; lead++) for (let next = 0x40; next < 0xff; next++) note(Buffer.of(lead, next));
  return found;
}

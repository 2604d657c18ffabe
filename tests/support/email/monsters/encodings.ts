import { type Monster, monster } from './monster.ts';

const HELLO = /Hello/;

/** Transfer encodings, character sets and HTML. */
export function encodingMonsters(): Monster[] {
  return [
    text('base64 garbage', 'base64', `${'!"#$%&*'.repeat(50_000)}`, /^.*$/s),
    text('base64 that is text', 'base64', 'Hello, this is not encoded at all.', HELLO),
    text('base64 with padding everywhere', 'base64', 'SGVsbG8='.repeat(10_000), HELLO),
    text('base64 of one letter per line', 'base64', [...'SGVsbG8='].join('\n'), HELLO),
    text('quoted-printable that is base64', 'quoted-printable', 'SGVsbG8=', /SGVsbG8/),
    text('quoted-printable of equals signs', 'quoted-printable', `Hello${'='.repeat(1e6)}`, HELLO),
    text('quoted-printable of soft breaks', 'quoted-printable', `Hello${'=\n'.repeat(300_000)}`, HELLO),
    text('quoted-printable of blanks', 'quoted-printable', `Hello${' '.repeat(1e6)}\n${' \n'.repeat(200_000)}`, HELLO),
    text('uuencode without end', 'x-uuencode', `begin 644 x\n${'M'.repeat(1e6)}`, /^.*$/s),
    text('uuencode of nothing', 'x-uuencode', 'Hello', /^.*$/s),
    text('unknown encoding', 'x-gzip64', 'Hello', HELLO),
    text('encoding of 1 MB', 'x'.repeat(1e6), 'Hello', HELLO),
    text(
      'binary',
      'binary',
      Buffer.from(Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7919) & 255)),
      /^.*$/s,
    ),
    text('NULs', '8bit', `Hello${'\0'.repeat(1e6)}`, HELLO),
    charset('a charset that does not exist', 'x-klingon', 'Hello', HELLO),
    charset('a charset of 10,000 letters', 'x'.repeat(10_000), 'Hello', HELLO),
    charset('broken UTF-8', 'utf-8', `Hello \xc3\x28\xf0\x90\x28\xbc${'\xff'.repeat(100_000)}`, HELLO),
    charset('broken UTF-7', 'utf-7', `Hello ${'+'.repeat(100_000)}A-+AA-+2AA-`, HELLO),
    charset('broken ISO-2022-JP', 'iso-2022-jp', `Hello ${'\x1b$B'.repeat(30_000)}`, HELLO),
    charset('broken ISO-2022-KR', 'iso-2022-kr', `Hello ${'\x0e\x1b$)C'.repeat(30_000)}`, HELLO),
    charset('broken Shift JIS', 'cp932', `Hello ${'\x81'.repeat(99_999)}`, HELLO),
    charset('odd UTF-16', 'utf-16be', '\0H\0e\0l\0l\0o\xd8', HELLO),
    charset('UTF-16 that is ASCII', 'utf-16le', 'Hello', /^.*$/s),
    html('unclosed tags', `Hello${'<div><b><table>'.repeat(30_000)}`, HELLO),
    html('quotes', `Hello${'<a b="'.repeat(100_000)}`, HELLO),
    html('hidden elements', `Hello${'<p style="display:none">x'.repeat(20_000)}`, HELLO),
    html('entities', `Hello${'&#x1F600;&lt;'.repeat(50_000)}`, HELLO),
    html('style sheets', `<style>${'.a{b:c}'.repeat(50_000)}</style>Hello`, HELLO),
    html('an attribute of 1 MB', `Hello<p title="${'x'.repeat(1e6)}">`, HELLO),
    monster(
      'flowed lines without end',
      `Content-Type: text/plain; format=flowed\n\n${'Hello \n'.repeat(200_000)}`,
      HELLO,
    ),
    monster(
      'quotations 100,000 deep',
      `Content-Type: text/plain; format=flowed\n\nHello\n${'>'.repeat(100_000)} x \n`,
      HELLO,
    ),
    monster(
      'an invitation without end',
      `Content-Type: text/calendar\n\nBEGIN:VEVENT\nSUMMARY:Hello\n${' x\n'.repeat(200_000)}`,
      HELLO,
    ),
  ];
}

function text(name: string, encoding: string, content: string | Buffer, readable: RegExp): Monster {
  return monster(
    name,
    [`Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ${encoding}\n\n`, content],
    readable,
  );
}

function charset(name: string, label: string, content: string, readable: RegExp): Monster {
  return monster(name, `Content-Type: text/plain; charset=${label}\n\n${content}`, readable);
}

function html(name: string, content: string, readable: RegExp): Monster {
  return monster(`HTML: ${name}`, `Content-Type: text/html; charset=utf-8\n\n${content}`, readable);
}

import { base64Lines, encodeText, quotedPrintable } from './email-encoding.ts';
import { randomFrom } from './generated-words.ts';

const PLAIN_SHARE = 0.4;
const ALTERNATIVE_SHARE = 0.45;
const FILE_BYTES = { least: 2_000, most: 200_000 };

interface Content {
  random: () => number;
  charset: string;
  paragraphs: readonly string[];
  /** From the email that this one answers. */
  quoted?: readonly string[];
}

/** The headers of the content, and the content: plain text, plain text and HTML, or with a PDF file besides. */
export function mailBody(content: Content): Buffer {
  const kind = content.random();
  if (kind < PLAIN_SHARE) return plainPart(content);
  if (kind < PLAIN_SHARE + ALTERNATIVE_SHARE) return alternative(content);
  const text = content.random() < 0.5 ? plainPart(content) : alternative(content);
  return multipart('mixed', content.random, [text, filePart(content.random)]);
}

function alternative(content: Content): Buffer {
  return multipart('alternative', content.random, [plainPart(content), htmlPart(content)]);
}

function multipart(kind: string, random: () => number, parts: readonly Buffer[]): Buffer {
  const boundary = `----=_Part_${Math.floor(random() * 2 ** 40).toString(36)}_${kind}`;
  const pieces = parts.flatMap((part) => [Buffer.from(`--${boundary}\n`), part, Buffer.from('\n')]);
  const head = `Content-Type: multipart/${kind};\n boundary="${boundary}"\n\nThis is a multi-part message in MIME format.\n\n`;
  return Buffer.concat([Buffer.from(head), ...pieces, Buffer.from(`--${boundary}--\n`)]);
}

function plainPart({ charset, paragraphs, quoted }: Content): Buffer {
  const own = paragraphs.map(wrapped).join('\n\n');
  const text = quoted
    ? `${own}\n\nOn Monday you wrote:\n\n${quoted.map(wrapped).join('\n').replace(/^/gm, '> ')}`
    : own;
  return textPart('plain', charset, `${text}\n`);
}

/** What HTML editors write: an element with a style around each paragraph. */
function htmlPart({ charset, paragraphs, quoted }: Content): Buffer {
  const paragraph = (text: string) =>
    `<p style="margin:0 0 12px 0;font-family:Helvetica,Arial,sans-serif;font-size:14px;color:#222222">${text}</p>`;
  const quote = quoted ? `<blockquote type="cite">${quoted.map(paragraph).join('\n')}</blockquote>` : '';
  const html = `<!DOCTYPE html>
<html><head><meta http-equiv="Content-Type" content="text/html; charset=${charset}">
<style type="text/css">body{margin:0;padding:0}table{border-collapse:collapse}a{color:#1155cc;text-decoration:none}
@media only screen and (max-width:600px){.container{width:100%!important}.column{display:block!important}}</style></head>
<body><div style="display:none;max-height:0;overflow:hidden">&nbsp;&zwnj;&nbsp;&zwnj;&nbsp;</div>
<table role="presentation" width="100%" cellpadding="0" cellspacing="0"><tr><td align="center">
<table class="container" width="600"><tr><td style="padding:24px;background-color:#ffffff">
${paragraphs.map(paragraph).join('\n')}
${quote}
<p><a href="https://www.example.net/read?id=1&amp;utm_source=mail&amp;utm_medium=email">www.example.net</a></p>
<img src="https://www.example.net/open.gif?id=1" width="1" height="1" alt="">
</td></tr></table></td></tr></table></body></html>
`;
  return textPart('html', charset, html);
}

/** A transfer encoding as mail programs choose it for the text. */
function textPart(kind: 'plain' | 'html', charset: string, text: string): Buffer {
  const bytes = encodeText(text, charset);
  const eightBit = bytes.filter((byte) => byte > 127).length / bytes.length;
  const [encoding, encoded] = ((): [string, string] => {
    if (eightBit > 0.35) return ['base64', base64Lines(bytes)];
    if (eightBit > 0 || kind === 'html') return ['quoted-printable', quotedPrintable(bytes)];
    return ['7bit', text];
  })();
  const declared = eightBit > 0 && charset === 'us-ascii' ? 'utf-8' : charset;
  const head = `Content-Type: text/${kind}; charset=${declared}\nContent-Transfer-Encoding: ${encoding}\n\n`;
  return Buffer.from(head + encoded);
}

let noise: Buffer | undefined;

/** A file of random bytes, as compressed content is, of 2 to 200 KB. */
function filePart(random: () => number): Buffer {
  const { least, most } = FILE_BYTES;
  noise ??= noiseOf(most + 65_536);
  const size = Math.floor(least * (most / least) ** random());
  const start = Math.floor(random() * 65_536);
  const name = `document-${Math.floor(random() * 100_000)}.pdf`;
  const head = `Content-Type: application/pdf; name="${name}"\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n`;
  const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), noise.subarray(start, start + size)]);
  return Buffer.from(`${head}${base64Lines(content)}\n`);
}

function noiseOf(size: number): Buffer {
  const random = randomFrom(97);
  return Buffer.from(Uint8Array.from({ length: size }, () => Math.floor(random() * 256)));
}

/** Lines of at most 76 characters. */
function wrapped(text: string): string {
  return text.replace(/(.{1,75})(?: |$)/g, '$1\n').trimEnd();
}

/** Ordinary emails of many shapes, the same for the same seed. */

export interface GeneratedMail {
  shape: MailShape;
  bytes: Buffer;
  subject: string;
  /** What a reader is meant to see; HTML-only emails have it as HTML. */
  text: string;
  attachments: readonly string[];
}

const WORDS =
  'project meeting invoice schedule report budget customer release server weekend train museum garden coffee question answer update contract delivery appointment draft review Zürich naïve façade Ångström €50 привет 会議 ok please thanks regards tomorrow monday attached below between however because without'.split(
    ' ',
  );

export const MAIL_SHAPES = [
  'plain',
  'plain-8bit',
  'plain-base64',
  'plain-quoted',
  'plain-latin1',
  'plain-koi8',
  'alternative',
  'html',
  'pdf',
  'related',
  'nested',
  'signed',
  'forwarded',
] as const;
export type MailShape = (typeof MAIL_SHAPES)[number];

/** As in a mailbox: 40 % plain, 45 % with an HTML alternative, 15 % with a PDF of 2 to 200 KB. */
function usualShape(index: number): MailShape {
  const place = index % 20;
  if (place < 8) return place % 2 === 0 ? 'plain' : 'plain-quoted';
  return place < 17 ? 'alternative' : 'pdf';
}

export function generateMail(seed: number, shape: MailShape = usualShape(seed)): GeneratedMail {
  const random = createRandom(seed + 1);
  const subject = sentence(random, 3 + random(6));
  const text = paragraphs(random, shape === 'plain-latin1' ? LATIN : shape === 'plain-koi8' ? CYRILLIC : WORDS);
  const { head, body, attachments } = contentOf(shape, text, random);
  return {
    shape,
    bytes: Buffer.concat([Buffer.from(`${headers(seed, subject, random)}${head}\r\n`), body]),
    subject,
    text,
    attachments,
  };
}

const LATIN = WORDS.filter((word) => /^[\x00-\xff]*$/.test(word));
const CYRILLIC = [...WORDS.filter((word) => /^[\x00-\x7f]*$/.test(word)), 'привет', 'встреча', 'спасибо'];

type Random = (below: number) => number;

/** A linear congruential generator. */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function sentence(random: Random, words: number, from = WORDS): string {
  return Array.from({ length: words }, () => from[random(from.length)]).join(' ');
}

function paragraphs(random: Random, from: readonly string[]): string {
  return Array.from({ length: 3 + random(8) }, () =>
    Array.from({ length: 1 + random(4) }, () => sentence(random, 6 + random(8), [...from])).join('\n'),
  ).join('\n\n');
}

function headers(seed: number, subject: string, random: Random): string {
  const sender = `person${random(500)}`;
  return [
    `Return-Path: <${sender}@example.test>`,
    'Delivered-To: alice@example.test',
    `Received: from mail.example.test (mail.example.test [192.0.2.${random(255)}])`,
    `\tby mx.example.test (Postfix) with ESMTPS id ${random(1e9).toString(16)}`,
    `\tfor <alice@example.test>; Mon, 2 Mar 2026 10:${10 + random(50)}:00 +0000 (UTC)`,
    'Authentication-Results: mx.example.test; dkim=pass header.d=example.test; spf=pass smtp.mailfrom=example.test;',
    '\tdmarc=pass (p=none) header.from=example.test',
    `DKIM-Signature: v=1; a=rsa-sha256; d=example.test; s=a; h=from:to:subject; bh=${'Ab3+'.repeat(11)};`,
    ...Array.from({ length: 5 }, () => `\t${'b5Fz/x+A'.repeat(8)}`),
    `Message-ID: <${seed}.${random(1e9)}@example.test>`,
    ...(seed % 3 === 0
      ? [`In-Reply-To: <${seed - 1}@example.test>`, `References: <1@example.test>\r\n <${seed - 1}@example.test>`]
      : []),
    `Date: Mon, 2 Mar 2026 ${10 + random(10)}:${10 + random(50)}:11 +0100`,
    `From: ${word(`Person ${sender}`)} <${sender}@example.test>`,
    `To: "Liddell, Alice" <alice@example.test>, Bob <bob@example.test>`,
    'X-Mailer: Generated 1.0',
    `Subject: ${word(subject)}`,
    'MIME-Version: 1.0',
    '',
  ].join('\r\n');
}

function word(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : encodedWords(text);
}

function encodedWords(text: string): string {
  return (text.match(/.{1,12}/gsu) ?? [])
    .map((piece) => `=?utf-8?B?${Buffer.from(piece).toString('base64')}?=`)
    .join('\r\n ');
}

interface Content {
  head: string;
  body: Buffer;
  attachments: string[];
}

function contentOf(shape: MailShape, text: string, random: Random): Content {
  switch (shape) {
    case 'plain':
      return single(textPart(text, '8bit'));
    case 'plain-8bit':
      return single(textPart(text, '8bit', 'utf-8; format=fixed'));
    case 'plain-base64':
      return single(textPart(text, 'base64'));
    case 'plain-quoted':
      return single(textPart(text, 'quoted-printable'));
    case 'plain-latin1':
      return single(textPart(text.replaceAll('€', 'E'), '8bit', 'iso-8859-1'));
    case 'plain-koi8':
      return single({ head: 'Content-Type: text/plain; charset=koi8-r\r\n', body: koi8(crlf(text)), attachments: [] });
    case 'html':
      return single(htmlPart(text));
    case 'alternative':
      return multipart('alternative', [textPart(text, 'quoted-printable'), htmlPart(text)]);
    case 'pdf':
      return multipart('mixed', [textPart(text, '8bit'), pdfPart(2_000 + random(198_000), random)]);
    case 'related':
      return multipart('related', [multipart('alternative', [textPart(text, '8bit'), htmlPart(text)]), imagePart()]);
    case 'nested':
      return multipart('mixed', [contentOf('related', text, random), pdfPart(3_000, random), csvPart()]);
    case 'signed':
      return multipart('signed', [textPart(text, 'quoted-printable'), signaturePart()]);
    case 'forwarded':
      return multipart('mixed', [textPart(text, '8bit'), messagePart(random)]);
  }
}

function single(content: Content): Content {
  return content;
}

function textPart(text: string, encoding: '8bit' | 'base64' | 'quoted-printable', charset = 'utf-8'): Content {
  const bytes = Buffer.from(crlf(text), charset === 'iso-8859-1' ? 'latin1' : 'utf8');
  return {
    head: `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}\r\n`,
    body: encoding === 'base64' ? base64(bytes) : encoding === '8bit' ? bytes : quotedPrintable(bytes),
    attachments: [],
  };
}

function htmlPart(text: string): Content {
  const rows = text
    .split('\n\n')
    .map(
      (paragraph) =>
        `<tr><td class="content" style="font-family:Arial,sans-serif;font-size:14px;line-height:20px;color:#333333;padding:0 20px"><p style="margin:0 0 12px">${paragraph.replaceAll('&', '&amp;').replaceAll('\n', '<br>')}</p></td></tr>`,
    );
  const html = `<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=utf-8"><style type="text/css">body{margin:0}.content{padding:0}@media screen{.content{width:100%}}</style></head><body bgcolor="#ffffff"><table width="600" border="0" cellpadding="0" cellspacing="0">${rows.join('\n')}</table></body></html>`;
  return {
    head: 'Content-Type: text/html; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n',
    body: quotedPrintable(Buffer.from(crlf(html))),
    attachments: [],
  };
}

function pdfPart(size: number, random: Random): Content {
  const bytes = Buffer.alloc(size, `%PDF-1.7 ${random(1e9)} `);
  return attachment('Rechnung für März.pdf', 'application/pdf', bytes);
}

function csvPart(): Content {
  return attachment('numbers.csv', 'text/csv', Buffer.from('a,b\r\n1,2\r\n'));
}

function imagePart(): Content {
  const part = attachment('logo.png', 'image/png', Buffer.alloc(900, 'PNG'));
  return {
    ...part,
    head: part.head.replace('attachment', 'inline').replace(/^/, 'Content-ID: <logo@example.test>\r\n'),
  };
}

function attachment(name: string, mime: string, bytes: Buffer): Content {
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16)}`,
  );
  return {
    head: `Content-Type: ${mime}\r\nContent-Disposition: attachment; filename*=utf-8''${encoded}\r\nContent-Transfer-Encoding: base64\r\n`,
    body: base64(bytes),
    attachments: [name],
  };
}

function signaturePart(): Content {
  return {
    head: 'Content-Type: application/pgp-signature\r\n',
    body: Buffer.from('-----BEGIN PGP SIGNATURE-----\r\n'),
    attachments: [],
  };
}

function messagePart(random: Random): Content {
  const inner = textPart(paragraphs(random, WORDS), '8bit');
  const head = `Subject: Inner mail\r\nFrom: carol@example.test\r\n${inner.head}\r\n`;
  return {
    head: 'Content-Type: message/rfc822\r\nContent-Disposition: attachment; filename="Inner mail.eml"\r\n',
    body: Buffer.concat([Buffer.from(head), inner.body]),
    attachments: ['Inner mail.eml'],
  };
}

let boundaries = 0;

function multipart(subtype: string, parts: readonly Content[]): Content {
  const boundary = `----=_Part_${(boundaries++ % 1_000).toString(36)}_${subtype}`;
  const pieces = parts.flatMap(({ head, body }) => [
    Buffer.from(`--${boundary}\r\n${head}\r\n`),
    body,
    Buffer.from('\r\n'),
  ]);
  return {
    head: `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n`,
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    attachments: parts.flatMap((part) => part.attachments),
  };
}

function crlf(text: string): string {
  return text.replaceAll('\n', '\r\n');
}

function base64(bytes: Buffer): Buffer {
  return Buffer.from(bytes.toString('base64').replaceAll(/.{76}/g, '$&\r\n'));
}

export function quotedPrintable(bytes: Buffer): Buffer {
  const lines = bytes
    .toString('latin1')
    .split('\r\n')
    .map((line) =>
      line
        .replaceAll(/[^\t\x20-\x3c\x3e-\x7e]|[ \t]$/g, (character) => `=${hex(character)}`)
        .replaceAll(/(?:[^=]|=[\dA-F]{2}){70,73}(?=.)/g, '$&=\r\n'),
    );
  return Buffer.from(lines.join('\r\n'), 'latin1');
}

function hex(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');
}

function koi8(text: string): Buffer {
  return Buffer.from([...text].map((character) => KOI8.get(character) ?? character.charCodeAt(0)));
}

const KOI8 = new Map(
  [...new TextDecoder('koi8-r').decode(Uint8Array.from({ length: 128 }, (_, index) => 128 + index))].map(
    (character, index): [string, number] => [character, 128 + index],
  ),
);

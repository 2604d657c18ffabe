import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { MessageStructureObject } from 'imapflow';
import { parseEmail } from '../../mime/parse-email.ts';
import { partsOf, skeletonOf, textPartsOf } from './body-structure.ts';

const TEXT: MessageStructureObject = { type: 'text/plain', parameters: { charset: 'utf-8' }, encoding: '8bit' };
const FILE: MessageStructureObject = {
  type: 'application/pdf',
  encoding: 'base64',
  disposition: 'attachment',
  dispositionParameters: { filename: 'Größe "x".pdf' },
};

test('parts have the numbers that IMAP gives them', () => {
  const inner = { type: 'message/rfc822', childNodes: [mixed('i', [TEXT, FILE])] };
  const single = { type: 'message/rfc822', childNodes: [TEXT] };
  const root = mixed('b', [mixed('c', [TEXT, FILE]), inner, single]);

  const numbers = [...partsOf(root)].map(({ number, node }) => `${number} ${node.type}`);

  assert.deepEqual(numbers, [
    '1.1 text/plain',
    '1.2 application/pdf',
    '2 message/rfc822',
    '2.1 text/plain',
    '2.2 application/pdf',
    '3 message/rfc822',
    '3.1 text/plain',
  ]);
  assert.deepEqual(
    [...partsOf(TEXT)].map(({ number }) => number),
    ['1'],
  );
  assert.deepEqual(
    textPartsOf(root).map(({ number }) => number),
    ['1.1'],
  );
});

test('a skeleton is parsed like the email itself', () => {
  const root = mixed('b', [FILE, TEXT]);
  const skeleton = skeletonOf(root, new Map([['2', Buffer.from('Grüße')]]));
  const header = Buffer.from('Subject: x\r\nContent-Type: multipart/mixed; boundary="b"\r\n\r\n');

  const email = parseEmail(Buffer.concat([header, skeleton ?? Buffer.alloc(0)]));

  assert.equal(email.text, 'Grüße');
  assert.deepEqual(
    email.attachments.map(({ part, name }) => `${part} ${name}`),
    ['1 Größe "x".pdf'],
  );
});

test('a structure without boundaries, or too deep, has no skeleton', () => {
  const deep = Array.from({ length: 100 }).reduce<MessageStructureObject>((inside) => mixed('b', [inside]), TEXT);

  assert.equal(skeletonOf({ type: 'multipart/mixed', childNodes: [TEXT] }, new Map()), undefined);
  assert.equal(skeletonOf(mixed('a\r\nb', [TEXT]), new Map()), undefined);
  assert.equal(skeletonOf(deep, new Map()), undefined);
  assert.equal([...partsOf(deep)].length, 0);
});

test('no value of a server can start another header', () => {
  const value = fc.string({ unit: fc.constantFrom('\r', '\n', ' ', 'a', ':', '"', "'", '%', 'ö', '\ud800', '\0') });
  fc.assert(
    fc.property(value, value, value, value, (a, b, c, d) => {
      const leaf = {
        type: `text/${a}`,
        parameters: { name: b },
        encoding: c,
        id: d,
        disposition: a,
        dispositionParameters: { filename: b },
      };

      const text = skeletonOf(mixed('b', [leaf]), new Map())?.toString() ?? '';

      const lines = text.split('\r\n').filter((line) => line !== '' && !line.startsWith('--b'));
      assert.ok(
        lines.every((line) => /^Content-(Type|Transfer-Encoding|ID|Disposition): /.test(line)),
        text,
      );
    }),
  );
});

function mixed(boundary: string, childNodes: MessageStructureObject[]): MessageStructureObject {
  return { type: 'multipart/mixed', parameters: { boundary }, childNodes };
}

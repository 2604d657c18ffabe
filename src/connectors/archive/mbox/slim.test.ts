import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createPad } from './pad.ts';
import { parseLetter } from './parse.ts';
import { createSlimPad } from './slim.ts';

function slim(...letters: string[]): Uint8Array<ArrayBuffer>[] {
  const pad = createSlimPad(createPad(1_000_000));
  return letters.map((letter) => {
    const data = Buffer.from(letter);
    for (let start = 0; start < data.length; ) {
      const newline = data.indexOf(10, start);
      const end = newline === -1 ? data.length : newline + 1;
      pad.add(data, start, end);
      start = end;
    }
    return pad.take().bytes;
  });
}

async function read(
  letter: Uint8Array<ArrayBuffer>,
): Promise<{ text: string; files: [string | undefined, number | undefined][] }> {
  const { text, attachments } = parseLetter({ bytes: letter, isCut: false });
  return {
    text,
    files: attachments.map(({ name, size }) => [name, size]),
  };
}

function base64(size: number): string {
  return Buffer.alloc(size, 7).toString('base64').replaceAll(/.{76}/g, '$&\n');
}

describe('an email without its attachments', () => {
  test('is small and still has their sizes', async () => {
    const letter = [
      'Content-Type: multipart/mixed;',
      ' boundary="--outer b"',
      '',
      '----outer b',
      'Content-Type: multipart/alternative; boundary=in',
      '',
      '--in',
      'Content-Transfer-Encoding: base64',
      'Content-Type: text/plain',
      '',
      Buffer.from('words -- more').toString('base64'),
      '--in--',
      '----outer b',
      'Content-Type: application/zip; name=a.zip',
      'Content-Transfer-Encoding: BASE64',
      '',
      base64(50_000),
      '----outer b',
      'content-type:',
      ' image/png; name=b.png',
      'content-transfer-encoding: base64',
      '',
      base64(1),
      '----outer b',
      'Content-Type: text/plain; name=c.txt',
      'Content-Disposition: attachment; filename=c.txt',
      '',
      '--not a boundary',
      '----outer b--',
      '',
    ].join('\n');

    const [bytes = new Uint8Array()] = slim(letter);

    assert.ok(bytes.length < 1_000);
    assert.deepEqual(await read(bytes), {
      text: 'words -- more',
      files: [
        ['a.zip', 50_000],
        ['b.png', 1],
        ['c.txt', 16],
      ],
    });
  });

  test('can consist of an attachment, end within one, or end it with another boundary', async () => {
    const head = 'Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\n';
    const letters = slim(
      `${head}${base64(3_000)}`,
      `Content-Type: multipart/mixed; boundary=b\n\n--b\n${head}${base64(300)}`,
      `Content-Type: multipart/mixed; boundary="b\n\n--b\n${head}${base64(300)}\n--x\n\nafter\n`,
      'Subject: x\n\nplain\n',
    );

    const read1 = await Promise.all(letters.map(read));

    assert.deepEqual(read1[0], { text: '', files: [['a.pdf', 3_000]] });
    assert.deepEqual(read1[1]?.files, [['a.pdf', 300]]);
    assert.match(Buffer.from(letters[2] ?? []).toString(), /after/);
    assert.equal(read1[3]?.text, 'plain');
  });

  test('is parsed as before, for any content', async () => {
    const content = fc.oneof(
      fc.stringMatching(/^[a-z -]{1,40}$/),
      fc.constantFrom('--', '--b', '-- ', '--b--x', 'Content-Type: x/y'),
    );
    const part = fc.record({
      type: fc.constantFrom('text/plain', 'text/html', 'image/png', 'application/x', 'message/rfc822', ''),
      encoding: fc.constantFrom('base64', '7bit', ''),
      lines: fc.array(content, { minLength: 1, maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 5 }), async (parts) => {
        const body = parts.map(({ type, encoding, lines }) => {
          const text = lines.map((line) => (line.startsWith('--b') ? `x${line}` : line)).join('\n');
          const fields = [type && `Content-Type: ${type}`, encoding && `Content-Transfer-Encoding: ${encoding}`];
          const head = fields.filter((field) => field !== '').map((field) => `${field}\n`);
          return `--b\n${head.join('')}\n${encoding === 'base64' ? Buffer.from(text).toString('base64') : text}\n`;
        });
        const letter = `Content-Type: multipart/mixed; boundary=b\n\n${body.join('')}--b--\n`;

        const [bytes = new Uint8Array()] = slim(letter);

        assert.deepEqual(await read(bytes), await read(new Uint8Array(Buffer.from(letter))));
      }),
      { numRuns: 60 },
    );
  });
});

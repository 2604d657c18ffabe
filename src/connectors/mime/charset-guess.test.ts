import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { decodeCharset } from './charset.ts';
import { decodeWords } from './encoded-words.ts';
import { parseEmail } from './parse-email.ts';

const RUSSIAN = 'Привет, когда будет готова новая версия программы? Я нашёл ошибку в установке, она не работает.';
const JAPANESE = 'こんにちは。新しいバージョンはいつできますか。インストールに問題がありました。よろしくお願いします。';
const KOREAN = '안녕하세요 새로운 버전은 언제 나오나요 설치하는 동안 문제가 있었습니다 감사합니다';
const GREEK = 'Καλημέρα σας, πότε θα είναι έτοιμη η νέα έκδοση του προγράμματος; Βρήκα ένα λάθος στην εγκατάσταση.';
const FRENCH = '« L’été dernier, à Orléans, le café était fermé ; ça m’a coûté 5 € », CAFÉ\xa0!';

/** The text in a character set: `TextEncoder` knows only UTF-8. */
function encode(text: string, charset: string): Buffer {
  const decoder = new TextDecoder(charset);
  const table = new Map<string, number[]>();
  for (let first = 0x80; first < 0x100; first++) {
    for (let second = 0x40; second < 0xff; second++) {
      const pair = decoder.decode(Uint8Array.of(first, second));
      if ([...pair].length === 1 && !table.has(pair)) table.set(pair, [first, second]);
    }
  }
  for (let byte = 0xff; byte >= 0; byte--) table.set(decoder.decode(Uint8Array.of(byte)), [byte]);
  return Buffer.from([...text].flatMap((character) => table.get(character) ?? [0x3f]));
}

function decode(bytes: Buffer, charset = ''): { text: string; problems: string[] } {
  const problems: string[] = [];
  return { text: decodeCharset(bytes, charset, (problem) => problems.push(problem)), problems };
}

describe('bytes without the name of their character set', () => {
  for (const [charset, text] of [
    ['windows-1252', FRENCH],
    ['windows-1252', 'Übergröße für 5 €'],
    ['koi8-r', RUSSIAN],
    ['windows-1251', RUSSIAN],
    ['shift_jis', JAPANESE],
    ['euc-jp', JAPANESE],
    ['euc-kr', KOREAN],
  ] as const) {
    test(`that are ${charset} are read as that: ${text.slice(0, 12)}`, () => {
      for (const name of ['', 'us-ascii', 'iso-8859-1', 'x-unknown', 'utf-8']) {
        assert.deepEqual(decode(encode(text, charset), name), { text, problems: [] }, name);
      }
    });
  }

  test('that announce theirs by escape sequences are read as that, in texts and headers', () => {
    const bytes = Buffer.from('\x1b$B$3$s$K$A$O\x1b(B ok', 'latin1');

    assert.deepEqual(decode(bytes), { text: 'こんにちは ok', problems: [] });
    assert.deepEqual(decode(bytes, 'iso-8859-1'), { text: 'こんにちは ok', problems: [] });
    assert.equal(decodeWords(bytes.toString('latin1')), 'こんにちは ok');
  });

  test('that are a reply in Windows-1252 to a text in UTF-8 are read each in its own', () => {
    const bytes = Buffer.concat([Buffer.from('> käse, größe, über\n'), Buffer.from('schön\n', 'latin1')]);

    assert.deepEqual(decode(bytes), { text: '> käse, größe, über\nschön\n', problems: [] });
  });

  test('that could be one of several are read as Windows-1252, and reported', () => {
    const { text, problems } = decode(encode(GREEK, 'iso-8859-7'));

    assert.equal(text.includes('\ufffd'), false);
    assert.deepEqual(problems, ['undecoded']);
  });

  test('that are few or one character again and again are no other character set than the one that is named', () => {
    for (const text of ['häää öö', 'ÅÄÖ', '“…”', '¯'.repeat(60)])
      assert.deepEqual(decode(encode(text, 'windows-1252'), 'iso-8859-1'), { text, problems: [] });
    assert.deepEqual(decode(encode('häää öö', 'windows-1252')).problems, []);
    assert.deepEqual(decode(encode('ÅÄÖ', 'windows-1252')).problems, ['undecoded']);
  });

  test('are never lost: each byte above 127 is at least one character, and never U+FFFD', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const { text } = decode(Buffer.from(bytes.filter((byte) => byte !== 0x1b)));

        assert.equal(text.includes('\ufffd') && !Buffer.from(bytes).includes('\ufffd'), false);
      }),
    );
  });
});

describe('a name of a character set that is wrong', () => {
  test('is overruled by valid UTF-8, and by bytes that are mostly invalid in it', () => {
    const text = 'Käse, Größe, schön';

    for (const name of ['koi8-r', 'iso-8859-2', 'gb2312', 'iso-2022-jp'])
      assert.deepEqual(decode(Buffer.from(text), name), { text, problems: [] }, name);
    assert.deepEqual(decode(Buffer.from(text, 'latin1'), 'iso-2022-jp'), { text, problems: [] });
    assert.deepEqual(decode(Buffer.from(text, 'latin1'), 'utf-8'), { text, problems: [] });
  });

  test('is kept for a text with a few invalid bytes, which are reported', () => {
    const bytes = Buffer.concat([Buffer.from('Käse, Größe, schön '), Buffer.from([0xff])]);

    assert.deepEqual(decode(bytes, 'utf-8'), { text: 'Käse, Größe, schön \ufffd', problems: ['undecoded'] });
  });
});

describe('headers with bytes that are not encoded', () => {
  test('are in the character set of the text below them', () => {
    const head = (name: string) =>
      `From: "Ада" <ada@example.test>\nSubject: Привет\nContent-Type: text/plain; charset=${name}\n\nПока`;

    for (const charset of ['koi8-r', 'windows-1251', 'utf-8']) {
      const bytes = charset === 'utf-8' ? Buffer.from(head(charset)) : encode(head(charset), charset);
      const { subject, from, text, problems } = parseEmail(bytes);

      assert.deepEqual([subject, from[0]?.name, text, problems], ['Привет', 'Ада', 'Пока', []]);
    }
  });

  test('are Windows-1252 if nothing says what they are', () => {
    const { subject, from } = parseEmail(
      Buffer.from('From: Andr\xe9 <a@x.test>\nSubject: caf\xe9 \x80\n\nx', 'latin1'),
    );

    assert.deepEqual([subject, from[0]?.name], ['café €', 'André']);
  });
});

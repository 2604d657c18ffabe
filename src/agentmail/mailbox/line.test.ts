import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Letter } from '../letter.ts';
import { encodeLine, flagOffset, isPlainlyRead, lettersWithin, parseLine, timestamp } from './line.ts';

const text = fc.string({ unit: 'binary', maxLength: 200 });
const letters: fc.Arbitrary<Letter> = fc
  .record(
    {
      id: fc.stringMatching(/^[a-zA-Z0-9]{8}$/),
      from: text,
      to: text,
      message: text,
      isRead: fc.boolean(),
      createdAt: fc.integer({ min: 0, max: 4_102_444_800_000 }).map(timestamp),
    },
    { requiredKeys: ['id', 'from', 'to', 'message', 'isRead'] },
  )
  .map((letter) => ({ ...letter }) as Letter);

describe('an encoded line', () => {
  test('is parsed to the same letter, for any text', () => {
    fc.assert(
      fc.property(letters, (letter) => {
        const line = Buffer.from(encodeLine(letter));

        assert.equal(line.indexOf(10), line.length - 1);
        assert.deepEqual(parseLine(line.subarray(0, -1)), letter);
      }),
    );
  });

  test('has exactly the bytes of the original program', () => {
    const line = encodeLine({
      id: 'Z1GQ4oET',
      from: 'a1',
      to: 'a2',
      message: 'hello <b>&"q" é 日本 \u2028\u2029\nline2\t\u0001\u007f',
      isRead: false,
      createdAt: timestamp(Date.UTC(2026, 10, 15, 19, 50, 15, 714)),
    });

    assert.equal(
      line,
      '{"id":"Z1GQ4oET","from":"a1","to":"a2","message":"hello \\u003cb\\u003e\\u0026\\"q\\" é 日本 \\u2028\\u2029\\nline2\\t\\u0001\u007f","read_flag":false,"created_at":"2026-11-15T19:50:15.714Z"}\n',
    );
  });

  test('has timestamps without trailing zeros', () => {
    const times = [0, 10, 100, 120, 10_000].map(timestamp);

    assert.deepEqual(times, [
      '1970-01-01T00:00:00Z',
      '1970-01-01T00:00:00.01Z',
      '1970-01-01T00:00:00.1Z',
      '1970-01-01T00:00:00.12Z',
      '1970-01-01T00:00:10Z',
    ]);
  });

  test('is marked as read by replacing five bytes', () => {
    fc.assert(
      fc.property(letters, fc.boolean(), (letter, hasReturn) => {
        const line = Buffer.from(encodeLine({ ...letter, isRead: false }).replace(/\n$/, hasReturn ? '\r' : ''));
        const offset = flagOffset(line) ?? -1;
        const wasRead = isPlainlyRead(line);

        line.write('true ', offset);

        assert.equal(wasRead, false);
        assert.equal(isPlainlyRead(line), true);
        assert.deepEqual(parseLine(line), { ...letter, isRead: true });
        assert.equal(flagOffset(line), undefined);
      }),
    );
  });
});

describe('a line of another program', () => {
  test('is a letter with keys in any case and order, and with unknown ones', () => {
    const line = '{"Message":"m","extra":{"read_flag":true},"TO":"b","from":"a","id":"i","id":"j","read_flag": false}';

    const letter = parseLine(Buffer.from(line));

    assert.deepEqual(letter, { id: 'j', from: 'a', to: 'b', message: 'm', isRead: false });
  });

  test('is a letter without a timestamp if it is invalid', () => {
    const times = ['""', 'null', '"yesterday"', '7'];

    const parsed = times.map((time) =>
      parseLine(Buffer.from(`{"id":"i","from":"a","to":"b","message":"m","created_at":${time}}`)),
    );

    for (const letter of parsed) assert.deepEqual(letter, { id: 'i', from: 'a', to: 'b', message: 'm', isRead: false });
  });

  test('is not a letter if a field is missing or has the wrong type', () => {
    const lines = [
      '',
      '   ',
      '\0\0\0',
      'null',
      '[]',
      '{}',
      '{"id":"","from":"a","to":"b","message":"m"}',
      '{"id":7,"from":"a","to":"b","message":"m"}',
      '{"id":"i","from":"a","to":"b"}',
      '{"id":"i","from":"a","to":"b","message":"m","read_flag":"no"}',
      '{"id":"i","from":"a","to":"b","message":"m"',
      '['.repeat(100_000),
    ];

    const parsed = lines.map((line) => parseLine(Buffer.from(line)));

    assert.deepEqual(
      parsed,
      lines.map(() => undefined),
    );
  });

  test('never throws, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        parseLine(bytes);
        isPlainlyRead(bytes);
        flagOffset(bytes);
        assert.deepEqual([...lettersWithin(bytes)].length >= 0, true);
      }),
    );
  });

  test('is not recognised as read by the quick check if the flag is not in its usual position', () => {
    const lines = [
      '{"id":"i","x":{"read_flag":true}}',
      '{"id":"i","read_flag":true,"message":"m"}',
      '"read_flag":true',
    ];

    const told = lines.map((line) => isPlainlyRead(Buffer.from(line)));

    assert.deepEqual(told, [false, false, false]);
  });

  test('contains complete letters next to fragments and to each other', () => {
    fc.assert(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 4 }), fc.nat(), (many, cut) => {
        const whole = many.map((letter) => Buffer.from(encodeLine(letter).trimEnd()));
        const torn = whole[0]?.subarray(0, cut % (whole[0].length - 1)) ?? Buffer.alloc(0);
        const line = Buffer.concat([torn, Buffer.alloc(3), ...whole]);

        const found = [...lettersWithin(line)].map(({ start, end }) => parseLine(line.subarray(start, end)));

        assert.deepEqual(found, many);
      }),
    );
  });
});

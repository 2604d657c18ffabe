import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parseTime, timeRange } from './time-expression.ts';

const NOW = Date.parse('2026-11-16T10:20:30.400Z');

describe('a time expression', () => {
  const table: [string, string][] = [
    ['45s', '2026-11-16T10:19:45.400Z'],
    ['30m', '2026-11-16T09:50:30.400Z'],
    ['24h', '2026-11-15T10:20:30.400Z'],
    ['7d', '2026-11-09T10:20:30.400Z'],
    ['2w', '2026-11-02T10:20:30.400Z'],
    ['7D', '2026-11-09T10:20:30.400Z'],
    ['0d', '2026-11-16T10:20:30.400Z'],
    ['7 days ago', '2026-11-09T10:20:30.400Z'],
    ['1 hour ago', '2026-11-16T09:20:30.400Z'],
    ['2 weeks ago', '2026-11-02T10:20:30.400Z'],
    ['now', '2026-11-16T10:20:30.400Z'],
    ['today', '2026-11-16T00:00:00.000Z'],
    ['Yesterday', '2026-11-15T00:00:00.000Z'],
    ['2026-11-16', '2026-11-16T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2025-01-13T00:00:00Z', '2025-01-13T00:00:00.000Z'],
    ['2025-01-13T08:30', '2025-01-13T08:30:00.000Z'],
    ['2025-01-13 08:30:15', '2025-01-13T08:30:15.000Z'],
    ['2025-01-13T08:30:15.123456', '2025-01-13T08:30:15.123Z'],
    ['2025-01-13t08:30:15.5z', '2025-01-13T08:30:15.500Z'],
    ['2025-01-13T08:30:00+02:00', '2025-01-13T06:30:00.000Z'],
    ['2025-01-13T08:30:00 02:00', '2025-01-13T06:30:00.000Z'],
    ['2025-01-13T08:30:00-0530', '2025-01-13T14:00:00.000Z'],
  ];
  for (const [text, moment] of table) {
    test(`CHAT-10 ${text} is ${moment}`, () => {
      assert.equal(new Date(parseTime(text, 'since', NOW)).toISOString(), moment);
    });
  }

  const wrong = [
    '',
    ' ',
    'invalid-date',
    '-7d',
    '+7d',
    '7',
    'd',
    '7д',
    '７d',
    '1.5h',
    '7y',
    '99999999999d',
    `${'9'.repeat(400)}d`,
    'tomorrow',
    'ago',
    'days ago',
    '7 days',
    '2026-02-30',
    '2026-13-01',
    '2026-1-1',
    '26-11-16',
    '2026-11-16T',
    '2026-11-16T24:00',
    '2026-11-16T10:60',
    '2026-11-16T10:00+25:00',
    '2026-11-16T10:00:00Zulu',
    '1763288430',
    '0000-01-01',
    '7d\n',
    'constructor',
  ];
  for (const text of wrong) {
    test(`CHAT-23 is not ${JSON.stringify(text.slice(0, 30))}, and the error lists valid forms`, () => {
      assert.throws(() => parseTime(text, 'before', NOW), {
        code: 'INVALID_PARAMETER',
        field: 'before',
        message: /^before must be a time: .*7d.*yesterday.*2026-11-16.*2026-11-16T08:30:00Z.*UTC/,
      });
    });
  }

  test('in ISO 8601 is exact, in any zone', () => {
    const first = Date.UTC(1000, 0);
    fc.assert(
      fc.property(
        fc.integer({ min: first, max: Date.UTC(9998, 0) }),
        fc.integer({ min: -839, max: 839 }),
        (at, shift) => {
          const local = new Date(at + shift * 60_000).toISOString().slice(0, -1);
          const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
          const zone = `${shift < 0 ? '-' : '+'}${two(Math.abs(shift) / 60)}:${two(Math.abs(shift) % 60)}`;

          assert.equal(parseTime(new Date(at).toISOString(), 'since', NOW), at);
          assert.equal(parseTime(`${local}${zone}`, 'since', NOW), at);
        },
      ),
    );
  });

  test('of any text is a timestamp or an AppError', () => {
    const pieces = fc.array(
      fc.constantFrom('7', '0', '-', ':', 'T', 'Z', 'd', 'h', ' ', 'ago', 'days', '2026', '.', '+'),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          pieces.map((parts) => parts.join('')),
        ),
        (text) => {
          try {
            assert.ok(Number.isSafeInteger(parseTime(text, 'since', NOW)));
          } catch (thrown) {
            assert.equal((thrown as { code?: string }).code, 'INVALID_PARAMETER');
          }
        },
      ),
    );
  });
});

describe('a time range', () => {
  test('has only the given ends', () => {
    assert.deepEqual(timeRange({}, NOW), {});
    assert.deepEqual(timeRange({ since: 'now' }, NOW), { since: NOW });
    assert.deepEqual(timeRange({ since: '2w', before: '1w' }, NOW), {
      since: NOW - 14 * 86_400_000,
      before: NOW - 7 * 86_400_000,
    });
  });

  test('must not be empty', () => {
    for (const range of [
      { since: '1d', before: '2d' },
      { since: '2026-11-16', before: '2026-11-16' },
      { since: 'today', before: 'yesterday' },
    ]) {
      assert.throws(() => timeRange(range, NOW), {
        code: 'INVALID_PARAMETER',
        field: 'since',
        message: /since must be earlier than before/,
      });
    }
  });
});

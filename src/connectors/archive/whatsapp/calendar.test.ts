import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toGregorian } from './calendar.ts';

describe('calendars of phones', () => {
  for (const [name, written, year, month, day] of [
    ['a year in full', [2024, 6, 13], 2024, 6, 13],
    ['a short year', [24, 6, 13], 2024, 6, 13],
    ['the Buddhist calendar', [2567, 6, 13], 2024, 6, 13],
    ['a short Buddhist year', [67, 6, 13], 2024, 6, 13],
    ['the Persian calendar', [1403, 3, 24], 2024, 6, 13],
    ['the last day of a Persian leap year', [1403, 12, 30], 2025, 3, 20],
    ['the Islamic calendar', [1445, 12, 7], 2024, 6, 13],
    ['the Islamic new year', [1446, 1, 1], 2024, 7, 7],
  ] as const) {
    test(name, () => {
      const [writtenYear, writtenMonth, writtenDay] = written;

      assert.deepEqual(toGregorian({ year: writtenYear, month: writtenMonth, day: writtenDay }), { year, month, day });
    });
  }

  test('consecutive days of a Persian and of an Islamic year are consecutive dates', () => {
    for (const year of [1388, 1395, 1399, 1402, 1403, 1404, 1408, 1430, 1437, 1441, 1445, 1446, 1450]) {
      let last = 0;
      for (let month = 1; month <= 12; month++) {
        for (let day = 1; day <= 29; day++) {
          const found = toGregorian({ year, month, day });
          assert(found, `${year}-${month}-${day}`);
          const moment = Date.UTC(found.year, found.month - 1, found.day);
          assert(moment > last);
          last = moment;
        }
      }
    }
  });

  test('a day that does not exist in the calendar is undefined', () => {
    assert.equal(toGregorian({ year: 1403, month: 13, day: 1 }), undefined);
    assert.equal(toGregorian({ year: 1445, month: 12, day: 31 }), undefined);
  });
});

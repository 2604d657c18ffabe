import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createLocalClock, isTimeZone, type LocalTime, machineTimeZone } from './local-time.ts';

describe('local time', () => {
  test('is converted by its time zone, in winter and in summer', () => {
    const clock = createLocalClock('Europe/Helsinki');

    assert.equal(clock(at('2024-01-13 15:04:05')), Date.UTC(2024, 0, 13, 13, 4, 5));
    assert.equal(clock(at('2024-06-13 15:04:05')), Date.UTC(2024, 5, 13, 12, 4, 5));
    assert.equal(createLocalClock('Asia/Kathmandu')(at('2024-06-13 05:45:00')), Date.UTC(2024, 5, 13));
  });

  test('a repeated hour is the first one that is not before the previous timestamp', () => {
    const clock = createLocalClock('Europe/Helsinki');
    const [first, second] = [Date.UTC(2024, 9, 27, 0, 30), Date.UTC(2024, 9, 27, 1, 30)];

    assert.equal(clock(at('2024-10-27 03:30:00')), first);
    assert.equal(clock(at('2024-10-27 03:30:00'), first), first);
    assert.equal(clock(at('2024-10-27 03:30:00'), first + 1), second);
    assert.equal(clock(at('2024-10-27 03:30:00'), second + 1), first);
  });

  test('a skipped hour is read as if it had not been skipped', () => {
    const clock = createLocalClock('Europe/Helsinki');

    assert.equal(clock(at('2024-03-31 03:30:00')), Date.UTC(2024, 2, 31, 1, 30));
  });

  test('days and hours that do not exist are invalid', () => {
    const clock = createLocalClock('UTC');

    for (const text of ['2024-02-30 00:00:00', '2024-13-01 00:00:00', '2024-00-01 00:00:00', '2024-01-01 24:00:00']) {
      assert.equal(clock(at(text)), undefined, text);
    }
  });

  test('every timestamp is restored from its local time', () => {
    const zones = fc.constantFrom('UTC', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia');

    fc.assert(
      fc.property(zones, fc.integer({ min: Date.UTC(2009, 0), max: Date.UTC(2040, 0) }), (zone, moment) => {
        const whole = Math.floor(moment / 1000) * 1000;
        const shown = new Date(whole).toLocaleString('sv', { timeZone: zone });

        assert.equal(createLocalClock(zone)(at(shown), whole), whole);
      }),
    );
  });
});

test('valid time zones are distinguished from invalid ones', () => {
  assert.deepEqual(['Europe/Helsinki', 'UTC', 'Mars/Olympus', ''].map(isTimeZone), [true, true, false, false]);
  assert.equal(isTimeZone(machineTimeZone()), true);
});

function at(text: string): LocalTime {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text.split(/[- :]/).map(Number);
  return { year, month, day, hour, minute, second };
}

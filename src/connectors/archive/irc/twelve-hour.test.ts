import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { irc } from './importer.ts';

const OPENED = '--- Log opened Thu Jun 13 00:00:00 2024\n';

async function timesIn(log: string, name = '#chat.log'): Promise<string[]> {
  const { messages } = await readOpened(irc, archiveOf({ [name]: log }));
  return messages.map(({ at }) => new Date(at).toISOString().slice(5, 16));
}

/** How a clock with twelve hours shows a minute of the day. */
function shown(minute: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minute / 60) % 12 || 12)}:${two(minute % 60)}`;
}

describe('IRC logs with a 12-hour clock', () => {
  test('with a.m. and p.m.: 12 a.m. is midnight, 12 p.m. is noon', async () => {
    const hours = ['12:30 AM', '01:00 AM', '12:00 PM', '12:59 PM', '01:00 PM', '11:59 PM', '12:00 AM'];

    const times = await timesIn(OPENED + hours.map((hour) => `[${hour}] <a> x`).join('\n'));

    assert.deepEqual(times, [
      '06-13T00:30',
      '06-13T01:00',
      '06-13T12:00',
      '06-13T12:59',
      '06-13T13:00',
      '06-13T23:59',
      '06-14T00:00',
    ]);
  });

  test('without these marks are recognized by their order: from 12 to 1 no day passes', async () => {
    const hours = ['12:10', '01:05', '11:59', '12:00', '12:59', '01:00', '11:59', '12:00', '12:59', '01:00'];
    const log = hours.map((hour) => `[${hour}] <a> x`).join('\n');
    const expected = [
      '06-13T00:10',
      '06-13T01:05',
      '06-13T11:59',
      '06-13T12:00',
      '06-13T12:59',
      '06-13T13:00',
      '06-13T23:59',
      '06-14T00:00',
      '06-14T00:59',
      '06-14T01:00',
    ];

    assert.deepEqual(await timesIn(OPENED + log), expected);
    assert.deepEqual(await timesIn(log, '#chat_2024-06-13.log'), expected);
  });

  test('report that the clock was assumed', async () => {
    const { assumed } = await readOpened(irc, archiveOf({ '#a.log': `${OPENED}[12:59] <a> x\n[01:00] <a> y` }));

    assert.deepEqual(assumed, { time_zone: 'UTC', clock: '12-hour' });
  });

  test('are continued in files of the same chat that do not show it themselves', async () => {
    const { messages } = await readOpened(
      irc,
      archiveOf({
        '#a.2024-06-13.log': '[12:59] <a> x\n[01:00] <a> y',
        '#a.2024-06-14.log': '[12:05] <a> z',
        '#b.2024-06-14.log': '[12:05] <a> z',
      }),
    );

    assert.deepEqual(
      messages.map(({ at }) => new Date(at).toISOString().slice(5, 16)),
      ['06-13T00:59', '06-13T01:00', '06-14T00:05', '06-14T12:05'],
    );
  });

  test('may have the date in each line', async () => {
    const lines = ['12:59:00', '01:00:00', '11:00:00', '12:59:00', '01:00:00'].map(
      (hour) => `2024-06-13 ${hour}\ta\tx`,
    );

    const times = await timesIn([...lines, '2024-06-14 01:00:00\ta\tx'].join('\n'));

    assert.deepEqual(times, ['06-13T00:59', '06-13T01:00', '06-13T11:00', '06-13T12:59', '06-13T13:00', '06-14T01:00']);
  });

  test('are not assumed if an hour above 12 or a 0 shows a clock with 24 hours', async () => {
    for (const other of ['00:10', '13:10']) {
      const times = await timesIn(
        `${OPENED}[${other}] <a> x\n--- Day changed Fri Jun 14 2024\n[12:59] <a> x\n[01:00] <a> y`,
      );

      assert.deepEqual(times.slice(1), ['06-14T12:59', '06-15T01:00'], other);
    }
  });

  test('are not assumed if the day changes between 12 and 1', async () => {
    const times = await timesIn(`${OPENED}[12:50] <a> x\n--- Day changed Fri Jun 14 2024\n[01:10] <a> y`);

    assert.deepEqual(times, ['06-13T12:50', '06-14T01:10']);
  });

  test('give every minute back, whenever something is written at least every half hour', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 29 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 150, maxLength: 300 }),
        async (first, gaps) => {
          let minute = first;
          const minutes = [first, ...gaps.map((gap) => (minute += gap))];
          fc.pre(minute > 26 * 60);
          const log = minutes.map((each) => `[${shown(each)}] <a> ${each}`).join('\n');

          const { messages } = await readOpened(irc, archiveOf({ '#a.log': OPENED + log }));

          const start = Date.UTC(2024, 5, 13);
          assert.deepEqual(
            messages.map(({ at }) => (at - start) / 60_000),
            minutes,
          );
        },
      ),
      { numRuns: 30 },
    );
  });
});

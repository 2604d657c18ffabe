import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { irc } from './importer.ts';

/** A few lines look like those of a known format by chance. */
const STRANGE = `${'2024-06-13 12:34:56 ada says: hello\n'.repeat(200)}2024-06-13 12:35:00 <ada> hi\n`;

describe('an IRC log in an unknown format', () => {
  test('is refused with the formats there are, instead of importing the lines that fit by chance', async () => {
    await assert.rejects(readOpened(irc, archiveOf({ '#chat.log': STRANGE })), (error) => {
      assert(error instanceof AppError);
      assert.equal(error.message, 'Most lines of /exports/archive are in no format of IRC logs that is known.');
      assert.match(error.hint ?? '', /irssi, WeeChat, ZNC.*--format '\{date\} \{time\}/);
      return true;
    });
  });

  test('beside others is left out and reported', async () => {
    const archive = archiveOf({ '#a.log': STRANGE, '#b.log': '[2024-06-13 12:34] <ada> hi' });

    const { messages, skipped } = await readOpened(irc, archive);

    assert.deepEqual(
      messages.map(({ chat }) => chat.name),
      ['#b'],
    );
    assert.deepEqual(skipped, [{ why: 'unknown_format', where: '#a.log' }]);
  });

  test('is read when its format is described', async () => {
    const { messages, skipped } = await readOpened(irc, archiveOf({ '#chat.log': STRANGE }), {
      lineFormats: ['{date} {time} {nick} says: {text}'],
    });

    assert.deepEqual([messages.length, skipped.length], [200, 1]);
  });

  test('is refused in the same way if no line fits, and is not said to hold no messages', async () => {
    const lines = '[13.06.2024 12:34:56] <ada> hello\n'.repeat(20);
    const archive = archiveOf({
      '#a.log': lines,
      '#b.log': '[2024-06-13 12:34] <ada> hi',
      'notes.txt': 'milk\neggs\n',
    });

    await assert.rejects(
      readOpened(irc, archiveOf({ '#a.log': lines })),
      (error) => error instanceof AppError && /Known are irssi/.test(error.hint ?? ''),
    );
    assert.deepEqual((await readOpened(irc, archive)).skipped, [
      { why: 'unknown_format', where: '#a.log' },
      { why: 'not_a_chat', where: 'notes.txt' },
    ]);
  });

  test('that is an export of another program is refused with its name', async () => {
    const whatsapp = '13/06/2024, 10:00 - Ada: hello\n'.repeat(20);

    await assert.rejects(
      readOpened(irc, archiveOf({ 'chat.txt': whatsapp })),
      (error) => error instanceof AppError && /looks like a WhatsApp export/.test(error.hint ?? ''),
    );
  });

  test('that is packed is named', async () => {
    const archive = archiveOf({ '#a.log': '[2024-06-13 12:34] <ada> hi', '#a.log.1.xz': '7zXZ' });

    assert.deepEqual((await readOpened(irc, archive)).skipped, [{ why: 'packed', where: '#a.log.1.xz' }]);
  });
});

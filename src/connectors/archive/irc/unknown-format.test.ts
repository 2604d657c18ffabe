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
});

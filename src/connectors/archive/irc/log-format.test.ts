import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { archiveOf } from '../../../../tests/support/archives/memory-archive.ts';
import { readOpened } from '../../../../tests/support/archives/read-archive.ts';
import { AppError } from '../../../domain/errors.ts';
import { irc } from './importer.ts';
import { createLineFormat } from './log-format.ts';

async function read(pattern: string | readonly string[], log: string) {
  const { messages } = await readOpened(irc, archiveOf({ '#chat.log': log }), { lineFormats: [pattern].flat() });
  return messages.map(({ at, sender, text, chat }) => [
    new Date(at).toISOString().slice(0, 19),
    sender.name,
    text,
    chat.name,
  ]);
}

describe('a format of log lines that the user describes', () => {
  test('with the timestamp first', async () => {
    const log = '2024-06-13 12:34:56 | ada | hello | you\n2024-06-13 12:35:00 | <bob smith> | \n';

    assert.deepEqual(await read('{date} {time} | {nick} | {text}', log.replace('<bob smith>', 'bob')), [
      ['2024-06-13T12:34:56', 'ada', 'hello | you', '#chat'],
      ['2024-06-13T12:35:00', 'bob', '', '#chat'],
    ]);
  });

  test('with columns separated by tabs', async () => {
    const log = '1718282096\t#linux\tada\thello\tyou\n1718282097123\t#bsd\t@bob\t\n';

    assert.deepEqual(await read('{unixtime}\\t{channel}\\t{nick}\\t{text}', log.replace('097123', '097000')), [
      ['2024-06-13T12:34:56', 'ada', 'hello\tyou', '#linux'],
      ['2024-06-13T12:34:57', 'bob', '', '#bsd'],
    ]);
  });

  test('in several patterns, of which the first that fits counts', async () => {
    const log = '20240613 1:34 PM * ada waves\n20240613 1:35 PM ada: hi: there\n';

    assert.deepEqual(await read(['{date} {time} * {nick} {action}', '{date} {time} {nick}: {text}'], log), [
      ['2024-06-13T13:34:00', 'ada', '/me waves', '#chat'],
      ['2024-06-13T13:35:00', 'ada', 'hi: there', '#chat'],
    ]);
  });

  test('takes days and what the server says from lines of the usual form, and skips the rest', async () => {
    const log =
      '--- Day changed Thu Jun 13 2024\n12:34 ada> hi\n12:35 -!- ada is now known as b\n12:36 c: no\n12:37 b> x';
    const { messages, skipped } = await readOpened(irc, archiveOf({ '#a.log': log }), {
      lineFormats: ['{time} {nick}> {text}'],
    });

    assert.deepEqual(
      messages.map(({ text }) => text),
      ['hi', 'ada is now known as b', 'x'],
    );
    assert.deepEqual(skipped, [{ why: 'malformed', where: '#a.log:4' }]);
  });

  test('reads the dates that people write', async () => {
    const dates = ['13.06.2024', 'Thu, Jun 13, 2024', '13-Jun-2024', '2024/6/13', '13/06/24', '13 June 2024'];

    for (const date of dates) {
      const [first] = await read('[{date}] ({time}) {nick}: {text}', `[${date}] (12:34:56 +0200) ada: hi`);
      assert.deepEqual(first, ['2024-06-13T10:34:56', 'ada', 'hi', '#chat'], date);
    }
  });

  test('asks for the order of a date that can be read in two ways', async () => {
    const options = { lineFormats: ['{date} {time} {nick}: {text}'] };
    const archive = archiveOf({ '#a.log': '3/4/24 12:34 ada: hi' });

    await assert.rejects(
      readOpened(irc, archive, options),
      (error) => error instanceof AppError && error.field === 'date_order' && /--date-order/.test(error.hint ?? ''),
    );
    const { messages } = await readOpened(irc, archive, { ...options, dateOrder: 'mdy' });
    assert.equal(messages[0]?.at, Date.UTC(2024, 2, 4, 12, 34));
  });

  for (const [pattern, message] of [
    ['{date} {tme} {nick}: {text}', '--format, character 8: {tme} is no field. Did you mean {time}?'],
    ['{time} {nick} {text', '--format, character 15: { is not closed by }.'],
    ['{time} nick} {text}', '--format, character 12: } closes no {.'],
    ['{time} \\n{nick} {text}', '--format, character 8: \\ stands before t, {, } or another \\ only.'],
    ['{time} {nick}{text}', '--format, character 8: {nick} and {text} have nothing between them.'],
    ['{time} {text} {nick}', '--format, character 8: {text} is the rest of the line, so that nothing can follow it.'],
    ['{time} {time} {nick} {text}', '--format, character 8: {time} is there twice.'],
    ['{time} {text}', '--format: {nick} is missing.'],
    ['{time} {nick} ', '--format: {text} or {action} is missing.'],
    ['{date} {nick} {text}', '--format: {time} or {unixtime} is missing.'],
    ['{unixtime} {date} {nick} {text}', '--format: {unixtime} holds date and time already.'],
    [`{time} {nick} {text}${' '.repeat(300)}`, '--format: it is longer than 300 characters.'],
  ] as const) {
    test(`names the mistake in ${pattern.slice(0, 40)}`, () => {
      assert.throws(
        () => createLineFormat(pattern, undefined),
        (error) => error instanceof AppError && error.message === message && /\{nick\}/.test(error.hint ?? ''),
      );
    });
  }

  test('is refused if most lines are not in it', async () => {
    const archive = archiveOf({ '#a.log': '12:34 ada> hi\n'.repeat(5) });

    await assert.rejects(
      readOpened(irc, archive, { lineFormats: ['{time} <{nick}> {text}'] }),
      (error) => error instanceof AppError && error.field === 'format',
    );
  });

  test('gives back sender and text of every line that is written in it', () => {
    const nick = fc.stringMatching(/^[a-z[\]_^{}|][a-z0-9_-]{0,15}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((each) => !/[\n\r]/.test(each));
    const patterns = [
      '{date} {time} <{nick}> {text}',
      '{date}T{time}\\t{nick}\\t{text}',
      '{time}; {date}; {any}; {nick}: {text}',
    ];
    const formats = patterns.map((pattern) => createLineFormat(pattern, undefined));
    fc.assert(
      fc.property(nick, text, (who, what) => {
        const lines = [
          `2024-06-13   12:34 <${who}> ${what}`,
          `2024-06-13T12:34\t${who}\t${what}`,
          `12:34; 2024-06-13; #x; ${who}: ${what}`,
        ];
        for (const [index, line] of lines.entries()) {
          const said = formats[index]?.(line);
          assert.deepEqual([said?.sender, said?.text], [who, what]);
        }
      }),
    );
  });

  test('neither throws nor stalls, whatever the pattern and the line', () => {
    const part = fc.constantFrom(
      '{date}',
      '{time}',
      '{any}',
      '{nick}',
      '{channel}',
      '{text}',
      ' ',
      '  ',
      'a',
      '\\t',
      '1',
      ':',
    );
    const line = fc.array(fc.constantFrom(' ', 'a', '1', ':', '\t', '2024-06-13', '12:34', '  '), { maxLength: 400 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), line, (parts, pieces) => {
        try {
          createLineFormat(parts.join(''), 'dmy')(pieces.join(''));
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
      }),
    );
    const many = createLineFormat(`${'{any} '.repeat(40)}{time} {nick}: {text}`, undefined);
    assert.equal(many(' '.repeat(60_000)), undefined);
  });
});

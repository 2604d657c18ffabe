import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readLogLine } from './log-line.ts';

/** Summary of a parsed line: sender and text, or its kind. */
function short(line: string): string {
  const read = readLogLine(line);
  if (read.kind === 'said') return `${read.sender}: ${read.text}`;
  if (read.kind === 'system') return `system ${read.sender ?? ''}: ${read.text}`;
  if (read.kind === 'day') return `day ${read.date.year}-${read.date.month}-${read.date.day} ${read.clock ?? ''}`;
  return read.kind === 'chat' ? `chat ${read.name}` : read.kind;
}

describe('a line of an IRC log', () => {
  const lines: Record<string, string> = {
    // irssi
    '12:34 < ada> hello <b> you': 'ada: hello <b> you',
    '12:34 <@ada> hi': 'ada: hi',
    '12:34:56 <+ada> hi': 'ada: hi',
    '12:34  * ada waves': 'ada: /me waves',
    '12:34 -ada:#chat- notice': 'ada: notice',
    '12:34 -!- ada [~a@host.test] has joined #chat': 'presence',
    '12:34 -!- ada [~a@host.test] has quit [Ping timeout: 1 seconds]': 'presence',
    '12:34 -!- mode/#chat [+o ada] by ChanServ': 'presence',
    '12:34 -!- ada is now known as ada_': 'system ada: ada is now known as ada_',
    '12:34 -!- ada changed the topic of #chat to: has joined':
      'system ada: ada changed the topic of #chat to: has joined',
    '12:34 -!- bob was kicked from #chat by ada [spam]': 'system bob: bob was kicked from #chat by ada [spam]',
    '--- Log opened Thu Jun 13 12:34:56 2024': 'day 2024-6-13 45296',
    '--- Day changed Fri Jun 14 2024': 'day 2024-6-14 ',
    '--- Day changed Fr Okt 14 2022': 'day 2022-10-14 ',
    // Konversation, in several languages
    '[Thursday, June 13, 2024] [12:34:56 PM CEST] <ada>\thi': 'ada: hi',
    '[Thursday, 13 June 2024] [12:34:56] <ada>\thi': 'ada: hi',
    '[Donnerstag, 13. Juni 2024] [12:34:56 MESZ] \t * ada waves': 'ada: /me waves',
    '[Thu Jun 13 2024] [12:34:56] Join\tbob (~b@host.test) has joined this channel.': 'presence',
    '[Thu Jun 13 2024] [12:34:56] Nick\tbob is now known as bobby.': 'system bob: bob is now known as bobby.',
    '[Thu Jun 13 2024] [12:34:56] Topic\tada sets the channel topic to "x: y".':
      'system ada: ada sets the channel topic to "x: y".',
    '[Thu Jun 13 2024] [12:34:56] Notice\t-bob- hi': 'bob: hi',
    '*** Logfile started': 'blank',
    '*** on Thu Jun 13 12:34:56 2024': 'day 2024-6-13 45296',
    // Textual
    '[2024-06-13T12:34:56+0200] • ada: waves': 'ada: /me waves',
    '[2024-06-13T12:34:56+0200] ada (~a@host.test) joined the channel': 'presence',
    '[2024-06-13T12:34:56+0200] ada is now known as ada_': 'system ada: ada is now known as ada_',
    // Limnoria
    '2024-06-13T12:34:56  -ada- notice': 'ada: notice',
    // weechat
    '2024-06-13 12:34:56\t@ada\thello\tworld': 'ada: hello\tworld',
    '2024-06-13 12:34:56\t *\tada waves': 'ada: /me waves',
    '2024-06-13 12:34:56\t-->\tada (~a@host.test) has joined #chat': 'presence',
    '2024-06-13 12:34:56\t<--\tada (~a@host.test) has quit': 'presence',
    '2024-06-13 12:34:56\t--\tada is now known as ada_': 'system ada: ada is now known as ada_',
    // ZNC, energymech
    '[12:34:56] <ada> hi': 'ada: hi',
    '[12:34:56] * ada waves': 'ada: /me waves',
    '[12:34:56] *** Joins: ada (~a@host.test)': 'presence',
    '[12:34:56] *** ada is now known as ada_': 'system ada: ada is now known as ada_',
    '[12:34:56] *** bob was kicked by ada (spam)': 'system bob: bob was kicked by ada (spam)',
    "[12:34:56] *** ada changes topic to 'x'": "system ada: ada changes topic to 'x'",
    '[12:34:56] -ada- notice': 'ada: notice',
    // HexChat
    'Jun 13 12:34:56 <ada>\thi': 'ada: hi',
    'Jun 13 12:34:56 *\tada waves': 'ada: /me waves',
    'Jun 13 12:34:56 *\tada has quit (Quit)': 'presence',
    'Jun 13 12:34:56 *\tada is now known as ada_': 'system ada: ada is now known as ada_',
    '**** BEGIN LOGGING AT Thu Jun 13 12:34:56 2024': 'day 2024-6-13 45296',
    '**** ENDING LOGGING AT Thu Jun 13 13:00:00 2024': 'day 2024-6-13 46800',
    // mIRC
    '[12:34] <ada> \x0304,01red\x0f and \x02bold\x02': 'ada: red and bold',
    '[12:34] * ada (a@host.test) has joined #chat': 'presence',
    '[12:34] * ada sets mode: +o bob': 'presence',
    '[12:34] * Now talking in #chat': 'presence',
    'Session Start: Thu Jun 13 12:34:56 2024': 'day 2024-6-13 45296',
    'Session Ident: #chat': 'chat #chat',
    // eggdrop
    '[12:34] Action: ada waves': 'ada: /me waves',
    '[12:34] Nick change: ada -> ada_': 'system ada: ada is now known as ada_',
    '[12:34] ada (a@host.test) joined #chat.': 'presence',
    "[12:34] #chat: mode change '+o ada' by bob!b@host.test": 'presence',
    '[12:34] Topic changed on #chat by ada!a@host.test: new': 'system : Topic changed on #chat by ada!a@host.test: new',
    '[00:00] --- Thu Jun 13 2024': 'day 2024-6-13 ',
    // others
    '[2024-06-13T12:34:56+0200] <ada> hi': 'ada: hi',
    '[2024-06-13 12:34:56] <ada> hi': 'ada: hi',
    '2024-06-13T12:34:56.123Z <ada> hi': 'ada: hi',
    '[Thu Jun 13 2024] [12:34:56] <ada>\thi': 'ada: hi',
    '(12:34:56 PM) ada: hi: there': 'ada: hi: there',
    '[12:34] === ada is now known as ada_': 'system ada: ada is now known as ada_',
    '[2024-06-13 01:34:56 PM] <ada> hi': 'ada: hi',
    '[12:34] <bridge user> hi': 'bridge user: hi',
    // Ubuntu and others: `===`, mostly without a time
    '=== ada [~a@host.test] has joined #chat': 'presence',
    '=== ada [~a@host.test] has left #chat []': 'presence',
    '=== ada is now known as ada_': 'system ada: ada is now known as ada_',
    '=== ada changed the topic of #chat to: 2024-06-13': 'system ada: ada changed the topic of #chat to: 2024-06-13',
    '=== Topic for #chat: release on 2024-06-13': 'system : Topic for #chat: release on 2024-06-13',
    '=== Topic (#chat): set by ada at Thu Jun 13 12:34:56 2024':
      'system : Topic (#chat): set by ada at Thu Jun 13 12:34:56 2024',
    '=== ada waves until 2024-06-13': 'ada: /me waves until 2024-06-13',
    '[12:34] === ada waves': 'ada: /me waves',
    '=== mode/#chat [+o ada] by bob': 'presence',
    '=== Users on #chat: ada bob': 'presence',
    '=== Day changed 2024-06-13': 'day 2024-6-13 ',
    '*** ada is now known as ada_': 'system ada: ada is now known as ada_',
    '*** what is this': 'unknown',
    '[12:34] <ada>': 'ada: ',
    '[12:34]<ada> hi': 'ada: hi',
    // not log lines
    '': 'blank',
    ' \t': 'blank',
    '<ada> no time': 'unknown',
    'just words': 'unknown',
    '[25:34] <ada> hi': 'unknown',
    '12:34 words without anybody': 'unknown',
  };
  for (const [line, expected] of Object.entries(lines)) {
    test(`${line} reads ${expected}`, () => {
      assert.equal(short(line), expected);
    });
  }

  test('has its timestamp, as far as it is written', () => {
    const stamps = ['9:05 pm <a> x', '[2024-06-13T12:34:56-0330] <a> x', 'Jun  3 12:34:56 <a> x', '[12:34] <a> x'].map(
      (line) => {
        const read = readLogLine(line);
        return read.kind === 'said' && read.stamp;
      },
    );

    assert.deepEqual(stamps, [
      { hour: 21, minute: 5, second: 0, isOfHalf: true },
      { hour: 12, minute: 34, second: 56, date: { year: 2024, month: 6, day: 13 }, offset: -210 },
      { hour: 12, minute: 34, second: 56, date: { month: 6, day: 3 } },
      { hour: 12, minute: 34, second: 0 },
    ]);
  });

  test('is parsed to the same sender and text, for any text', () => {
    const nick = fc.stringMatching(/^[a-zA-Z[\]\\`_^{|}][a-zA-Z0-9[\]\\`_^{|}-]{0,15}$/);
    const text = fc.string({ unit: 'grapheme', maxLength: 60 }).map((each) => each.replaceAll(/\p{Cc}/gu, ''));
    fc.assert(
      fc.property(nick, text, (who, what) => {
        for (const line of [
          `[12:34] <${who}> ${what}`,
          `12:34 <@${who}> ${what}`,
          `2024-06-13 12:34:56\t${who}\t${what}`,
        ]) {
          assert.equal(short(line), `${who}: ${what}`);
        }
      }),
    );
  });

  test('never causes an exception', () => {
    const piece = fc.oneof(
      fc.constantFrom('[12:34] ', '<', '>', '*', '---', '\t', 'Jun 13 ', '2024-06-13', ' has joined '),
      fc.string({ unit: 'binary', maxLength: 10 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        assert.equal(typeof readLogLine(pieces.join('')).kind, 'string');
      }),
    );
  });
});

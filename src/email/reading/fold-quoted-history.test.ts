import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { foldQuotedHistory } from './fold-quoted-history.ts';

describe('the earlier emails below a text', () => {
  const introductions = [
    'On Mon, 2 Mar 2026 at 10:00, Alice <alice@example.test> wrote:\n> old\n>\n> older',
    'On Monday, 2 March 2026 at 10:00, Alice Liddell\n<alice@example.test> wrote:\n\n> old\n>> older',
    'Am 02.03.26 um 10:00 schrieb Alice:\n> old\n> older',
    'Le lun. 2 mars 2026 à 10:00, Alice <alice@example.test> a écrit :\n> old\n> older',
    'El lun, 2 mar 2026 a las 10:00, Alice (<alice@example.test>) escribió:\n> old\n> older',
    'Op ma 2 mrt 2026 om 10:00 schreef Alice <alice@example.test>:\n> old\n> older',
    'Alice <alice@example.test> wrote on 2026-03-02:\n> old\n> older',
    '2 марта 2026 г., в 10:00, Alice <alice@example.test> написал(а):\n> old\n> older',
    '> old\n> older',
    'On 2 March 2026 10:00, Alice <alice@example.test> wrote:\n\nold\n\nolder',
    '-----Original Message-----\nold\nolder',
    '-------- Ursprüngliche Nachricht --------\nold\nolder',
    'From: Alice <alice@example.test>\nSent: Monday, 2 March 2026 10:00\nTo: Bob\nSubject: x\n\nold',
    '________________________________\nVon: Alice <alice@example.test>\nGesendet: Montag, 2. März 2026 10:00\nAn: Bob\nBetreff: x\n\nold',
    '*From:* Alice\n*Sent:* Monday\n*To:* Bob\n*Subject:* x\n\nold',
    'De : Alice\nEnvoyé : lundi 2 mars 2026 10:00\nÀ : Bob\nObjet : x\n\nold',
    '发件人: Alice\n发送时间: 2026年3月2日\n收件人: Bob\n主题: x\n\nold',
  ];
  for (const history of introductions) {
    test(`are left out after ${JSON.stringify(history.slice(0, 60))}`, () => {
      const { text, folded } = foldQuotedHistory(`Yes, I agree.\n\nBob\n\n${history}\n`);

      assert.equal(text, 'Yes, I agree.\n\nBob');
      assert.equal(folded, history.split('\n').filter((line) => line.trim() !== '').length);
    });
  }

  const kept = [
    'Just a text.',
    '> question\n\nanswer\n\n> question\n\nanswer',
    'On 2 March 2026 10:00, Alice <alice@example.test> wrote:\n> question\n\nanswer',
    'FYI\n\n---------- Forwarded message ---------\nFrom: Alice <alice@example.test>\nDate: Mon, 2 Mar 2026\nSubject: x\nTo: Bob\n\nnews',
    'From: here\nwe go on.',
    'He wrote:\nnothing.',
    '> only a quotation',
    '',
  ];
  for (const text of kept) {
    test(`are not found in ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.deepEqual(foldQuotedHistory(text), { text, folded: 0, signature: 0 });
    });
  }

  test('are kept in an email that forwards them', () => {
    const text = 'FYI\n\nFrom: Alice\nSent: Monday\nTo: Bob\nSubject: x\n\nnews';

    assert.equal(foldQuotedHistory(text, { isForward: true }).text, text);
    assert.equal(foldQuotedHistory(text).text, 'FYI');
  });

  test('are left out of a forwarded email, which is kept', () => {
    const text = '-------- Weitergeleitete Nachricht --------\nVon: Alice\nDatum: Montag\nAn: Bob\n\nnews\n\n> old';

    assert.equal(foldQuotedHistory(text).text, text.slice(0, -'\n\n> old'.length));
  });

  test('may be above a signature', () => {
    assert.equal(foldQuotedHistory('Yes.\n\n> old\n> older\n\n-- \nBob').text, 'Yes.');
  });

  test('are all or nothing: what is left is the beginning of the text', () => {
    const line = fc.oneof(
      fc.constantFrom('', '> a', '>> b', '-- ', 'On 2 March 2026, a@b wrote:', '-----Original Message-----', 'From: a'),
      fc.constantFrom(
        'Sent: b',
        'To: c',
        'Subject: d',
        'text',
        'On',
        'wrote:',
        '---------- Forwarded message ----------',
      ),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        const whole = lines.join('\n');

        const { text, folded, signature } = foldQuotedHistory(whole);

        assert.ok(whole.startsWith(text));
        assert.ok(folded >= 0 && signature >= 0);
        assert.ok(text.trim() !== '' || whole.trim() === '');
      }),
    );
  });

  test('of any length are read once', () => {
    for (const unit of [
      '> a\n',
      '\n',
      'On 2 March 2026\n',
      'From: a\n',
      'From: a\nTo: b\n',
      '-- \n',
      'wrote:\n',
      '>',
    ]) {
      assert.equal(typeof foldQuotedHistory(unit.repeat(100_000)).text, 'string');
    }
  });
});

describe('a signature', () => {
  test('is kept if it is short', () => {
    const text = 'Hello\n\n-- \nBob\nExample Ltd.';

    assert.deepEqual(foldQuotedHistory(text), { text, folded: 0, signature: 0 });
  });

  test('is shortened if it is long', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index}`);

    const { text, signature } = foldQuotedHistory(['Hello', '', '-- ', ...lines].join('\n'));

    assert.equal(text, 'Hello\n\n-- \nline 0\nline 1\nline 2\nline 3');
    assert.equal(signature, 8);
  });

  test('is not what follows a line in the middle of a long text', () => {
    const text = `First part\n--\n${'Second part\n'.repeat(40)}`;

    assert.equal(foldQuotedHistory(text).text, text.trimEnd());
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAnnouncement, type Speaker, speakersOf } from './speaker.ts';

function speakerOf(rest: string): Speaker | undefined {
  return speakersOf(rest)[0];
}

describe('senders in WhatsApp', () => {
  test('the name is before the first colon', () => {
    assert.deepEqual(speakerOf('Alice: it is: so'), { name: 'Alice', isStranger: false, text: 'it is: so' });
    assert.deepEqual(speakerOf('Alice:'), { name: 'Alice', isStranger: false, text: '' });
  });

  test('marks are not part of a name, and a tilde marks a sender who is not a contact', () => {
    assert.equal(speakerOf('\u200e\u202a+358\u00a040 1234567\u202c: x')?.name, '+358 40 1234567');
    assert.deepEqual(speakerOf('~\u202fBob: x'), { name: 'Bob', isStranger: true, text: 'x' });
  });

  test('a line without a name has no sender', () => {
    for (const rest of [
      'Messages are end-to-end encrypted.',
      'see https://example.org',
      ': x',
      `${'x'.repeat(200)}: y`,
    ]) {
      assert.equal(speakerOf(rest), undefined);
    }
  });

  test('an announcement about a user is not a name', () => {
    const speakers = new Map([
      ['Alice', 9],
      ['Alice changed the subject from “a” to “y', 1],
      ['Alice changed the subject to "y', 1],
      ['Alice hat den Betreff zu „y', 1],
      ['Alice has now set the description to', 1],
    ]);

    for (const name of [...speakers.keys()].slice(1)) assert.equal(isAnnouncement(name, speakers), true, name);
  });

  test('unusual names are names', () => {
    const speakers = new Map([
      ['Alice', 9],
      ['Alice Smith', 1],
      ['Bob "Bobby" Li', 1],
      ['Alice of the very long name', 2],
      ['5" Guy', 7],
    ]);

    for (const name of speakers.keys()) assert.equal(isAnnouncement(name, speakers), false, name);
  });
});

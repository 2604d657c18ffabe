import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createColonNames } from './colon-names.ts';
import { speakersOf } from './speaker.ts';

const MARK = '\u200e';

/** The sender of each line. */
function sendersIn(lines: readonly string[], known: readonly string[] = []): (string | undefined)[] {
  const names = createColonNames(known);
  for (const line of lines) names.add(speakersOf(line));
  const { choose } = names.found();
  return lines.map((line) => choose(speakersOf(line))?.name);
}

describe('names with a colon in WhatsApp', () => {
  test('are names that the beginning alone never is', () => {
    const lines = ['Dr: Who: hello', 'Ada: well: yes', 'Dr: Who: it is 5: so', 'Ada: no', 'Dr: Who: bye'];

    assert.deepEqual(sendersIn(lines), ['Dr: Who', 'Ada', 'Dr: Who', 'Ada', 'Dr: Who']);
  });

  test('may begin alike, and have several colons', () => {
    const lines = ['Team: Ada: a', 'Team: Bob: b', 'Team: Ada: c', 'Team: Bob: d', 'X: Y: Z: e', 'X: Y: Z: f'];

    assert.deepEqual(sendersIn(lines), ['Team: Ada', 'Team: Bob', 'Team: Ada', 'Team: Bob', 'X: Y: Z', 'X: Y: Z']);
  });

  test('are not assumed of somebody who often writes a colon', () => {
    const lines = ['Ada: Note: a', 'Ada: Note: b', 'Ada: Note: c', 'Ada: hello', 'Bob: Q: x', 'Bob: A: y'];
    const pasted = ['Cy: [13.06.2024, 15:04] Ada: hi', 'Cy: [13.06.2024, 15:04] Ada: ho'];

    assert.deepEqual(sendersIn(lines), ['Ada', 'Ada', 'Ada', 'Ada', 'Bob', 'Bob']);
    assert.deepEqual(sendersIn(pasted), ['Cy', 'Cy']);
  });

  test('are known from the name of the chat, of the user, or from what WhatsApp says after a name', () => {
    assert.deepEqual(sendersIn(['Dr: Who: hello']), ['Dr']);
    assert.deepEqual(sendersIn(['Dr: Who: hello'], ['Dr_ Who']), ['Dr: Who']);
    assert.deepEqual(sendersIn(['Dr: Who: hello', `Dr: Who: ${MARK}image omitted`]), ['Dr: Who', 'Dr: Who']);
    assert.deepEqual(sendersIn([`Team: Fun: ${MARK}Messages are encrypted.`, 'Ada: hi']), ['Team: Fun', 'Ada']);
  });

  test('are found whatever is written, if everybody writes something without a colon', () => {
    const name = fc.constantFrom('Ada', 'Dr: Who', 'Team: A: B', 'Bob');
    const text = fc.oneof(fc.constantFrom('a: b', 'Who: x', 'x:'), fc.string({ unit: 'grapheme', maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, text), { maxLength: 30 }), (said) => {
        const everybody = ['Ada', 'Dr: Who', 'Team: A: B', 'Bob'].flatMap((each) => [`${each}: hi`, `${each}: ho`]);
        const senders = sendersIn([...everybody, ...said.map(([who, what]) => `${who}: ${what}`)]);

        assert.deepEqual(
          senders.slice(everybody.length),
          said.map(([who]) => who),
        );
      }),
    );
  });
});

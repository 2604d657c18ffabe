import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examineSources } from './source-findings.ts';

const HOW = 'Import an export instead: switchboard chat import telegram <path>';
const UNKNOWN_KIND = 'This version of Switchboard cannot connect to telegram.';

describe('the doctor looks at sources', () => {
  test('does not say that there are none where it cannot know', () => {
    const [finding] = examineSources({ isRunning: false });

    assert.match(finding?.says ?? '', /not known while the configuration is not valid/);
  });

  test('a home without any is well', () => {
    const findings = examineSources({ isRunning: false, sources: [] });

    assert.deepEqual(findings, [{ check: 'sources', state: 'ok', says: 'None is configured.' }]);
  });

  test('while nothing runs nothing is connected, and only kinds that never can be are a warning', () => {
    const findings = examineSources({
      isRunning: false,
      sources: [
        { id: 'libera', kind: 'irc', keepDays: 30 },
        { id: 'mine', kind: 'telegram', problem: UNKNOWN_KIND, howToConnect: HOW },
      ],
    });

    assert.deepEqual(
      findings.map(({ state, says }) => [state, says]),
      [
        ['ok', 'Nothing runs, so nothing is connected; the daemon is started when it is needed.'],
        ['ok', 'libera (irc) is configured. Messages older than 30 days are forgotten.'],
        ['warning', `mine (telegram) cannot be connected. ${UNKNOWN_KIND}`],
      ],
    );
    assert.equal(findings.at(-1)?.mend, HOW);
  });

  test('what is not connected is told with the reason and how to mend it', () => {
    const findings = examineSources({
      isRunning: true,
      sources: [
        { id: 'a', kind: 'irc', connection: 'connected' },
        { id: 'b', kind: 'irc', connection: 'connecting', howToConnect: 'It connects by itself.' },
        { id: 'c', kind: 'irc', connection: 'refused', problem: 'The password is wrong.', howToConnect: 'Somehow.' },
        { id: 'd', kind: 'matrix', connection: 'lost', problem: 'Nobody answers.', keepDays: 7 },
        { id: 'e', kind: 'telegram', problem: UNKNOWN_KIND, howToConnect: HOW },
      ],
    });

    assert.deepEqual(
      findings.map(({ state, says }) => [state, says]),
      [
        ['ok', 'a (irc) is connected.'],
        ['ok', 'b (irc) is being connected.'],
        ['warning', 'c (irc) is refused. The password is wrong.'],
        ['warning', 'd (matrix) is not connected. Nobody answers. Messages older than 7 days are forgotten.'],
        ['warning', `e (telegram) cannot be connected. ${UNKNOWN_KIND}`],
      ],
    );
    assert.match(findings[2]?.mend ?? '', /sources\.c in config\.yaml/);
    assert.match(findings[3]?.mend ?? '', /sources\.d.*daemon logs/);
  });

  test('a source that waits for its turn after a refusal is still told with what was wrong', () => {
    const [finding] = examineSources({
      isRunning: true,
      sources: [{ id: 'c', kind: 'irc', connection: 'connecting', problem: 'The password is wrong.' }],
    });

    assert.equal(finding?.says, 'c (irc) is being connected. The password is wrong.');
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examineSources } from './source-findings.ts';

const HOW = 'Import an export instead: switchboard chat import telegram <path>';
const UNKNOWN_KIND = 'This version of Switchboard cannot connect to telegram.';

describe('doctor’s findings about sources', () => {
  test('do not claim that there are none if the configuration is invalid', () => {
    const [finding] = examineSources({ isRunning: false });

    assert.match(finding?.says ?? '', /not known while the configuration is not valid/);
  });

  test('are ok for a home without sources', () => {
    const findings = examineSources({ isRunning: false, sources: [] });

    assert.deepEqual(findings, [{ check: 'sources', state: 'ok', says: 'None is configured.' }]);
  });

  test('while no daemon runs warn only about kinds that cannot be connected', () => {
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

  test('name the reason of each failed connection and how to fix it', () => {
    const findings = examineSources({
      isRunning: true,
      sources: [
        { id: 'a', kind: 'irc', connection: 'connected' },
        { id: 'b', kind: 'irc', connection: 'connecting', howToConnect: 'It connects by itself.' },
        { id: 'c', kind: 'irc', connection: 'refused', problem: 'The password is wrong.', howToConnect: 'Somehow.' },
        { id: 'd', kind: 'matrix', connection: 'lost', problem: 'Nobody answers.', keepDays: 7 },
        { id: 'e', kind: 'telegram', problem: UNKNOWN_KIND, howToConnect: HOW },
        { id: 'f', kind: 'irc', connection: 'connected', problem: '#x was not joined: the channel is full.' },
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
        ['warning', 'f (irc) is connected. #x was not joined: the channel is full.'],
      ],
    );
    assert.match(findings[2]?.mend ?? '', /sources\.c in config\.yaml/);
    assert.match(findings[3]?.mend ?? '', /sources\.d.*daemon logs/);
  });

  test('name the last problem of a source that is connecting again', () => {
    const [finding] = examineSources({
      isRunning: true,
      sources: [{ id: 'c', kind: 'irc', connection: 'connecting', problem: 'The password is wrong.' }],
    });

    assert.equal(finding?.says, 'c (irc) is being connected. The password is wrong.');
    assert.equal(finding?.state, 'warning');
  });

  test('tell what helps where a source is not in the file', () => {
    const findings = examineSources({
      isRunning: true,
      sources: [
        { id: 'a', kind: 'email', isInFile: false, connection: 'refused', problem: 'No.', howToConnect: 'Sign in.' },
        { id: 'b', kind: 'email', isInFile: false, connection: 'lost', problem: 'Down.' },
      ],
    });

    assert.deepEqual(
      findings.map(({ mend }) => mend),
      ['Sign in.', 'It is tried again by itself. `switchboard daemon logs` has the reason.'],
    );
  });
});

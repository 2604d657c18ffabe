import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { CONNECTORS } from '../connectors/registry.ts';
import { createSourceDefinitions } from './configured-sources.ts';
import { type SourceKind, sourceSchema } from './source-settings.ts';

/** Two of them have no connector yet; exports of one can be imported. */
const KINDS: readonly SourceKind[] = [
  ...CONNECTORS,
  { kind: 'slack', settings: () => z.strictObject({}) },
  { kind: 'pigeon', settings: () => z.strictObject({}) },
];
const SourcesSection = z.record(z.string(), sourceSchema(KINDS));

function sourcesIn(sources: object) {
  return createSourceDefinitions(KINDS, '/home').configured(SourcesSection.parse(sources));
}

describe('configured sources', () => {
  test('fetch no more history than keep_days', () => {
    const irc = { kind: 'irc', host: 'irc.test', nick: 'me' };

    const [all, few, fewer] = sourcesIn({
      all: irc,
      few: { ...irc, keep_days: 30 },
      fewer: { ...irc, keep_days: 30, history_days: 7 },
    });

    assert.deepEqual(
      [all, few, fewer].map((source) => source?.history?.days),
      [365, 30, 7],
    );
  });

  test('of a kind without a connector are listed, with an alternative', () => {
    const [source] = sourcesIn({ mine: { kind: 'slack' } });

    assert.partialDeepStrictEqual(source, {
      canStream: false,
      canSend: false,
      unavailable: 'This version of Switchboard cannot connect to slack.',
      howToConnect: 'Import an export instead: switchboard chat import slack <path> --source mine-archive',
    });
    assert.equal(source?.open, undefined);
  });

  test('do not suggest an import that does not exist', () => {
    const [source] = sourcesIn({ mine: { kind: 'pigeon' } });

    assert.match(source?.howToConnect ?? '', /^A newer version of Switchboard/);
  });

  test('reconnect if the password changes, not if the policy changes', () => {
    const irc = { kind: 'irc', host: 'irc.test', nick: 'me', password: 'one' };
    const fingerprint = (source: object) => sourcesIn({ source })[0]?.fingerprint;

    assert.equal(fingerprint({ ...irc, policy: { send: 'deny' } }), fingerprint(irc));
    assert.notEqual(fingerprint({ ...irc, password: 'two' }), fingerprint(irc));
  });
});

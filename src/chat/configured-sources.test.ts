import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { SOURCE_KINDS } from '../connectors/registry.ts';
import { createSourceDefinitions } from './configured-sources.ts';
import { sourceSchema } from './source-settings.ts';

const SourcesSection = z.record(z.string(), sourceSchema(SOURCE_KINDS));

function sourcesIn(sources: object) {
  return createSourceDefinitions(SOURCE_KINDS, '/home').configured(SourcesSection.parse(sources));
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
    const [source] = sourcesIn({ mine: { kind: 'whatsapp' } });

    assert.partialDeepStrictEqual(source, {
      canStream: false,
      canSend: false,
      unavailable: 'This version of Switchboard cannot connect to whatsapp.',
      howToConnect: 'Import an export instead: switchboard chat import whatsapp <path> --source mine-archive',
    });
    assert.equal(source?.open, undefined);
  });

  test('do not suggest an import that does not exist', () => {
    const [source] = sourcesIn({ mine: { kind: 'beeper' } });

    assert.match(source?.howToConnect ?? '', /^A newer version of Switchboard/);
  });

  test('reconnect if the password changes, not if the policy changes', () => {
    const irc = { kind: 'irc', host: 'irc.test', nick: 'me', password: 'one' };
    const fingerprint = (source: object) => sourcesIn({ source })[0]?.fingerprint;

    assert.equal(fingerprint({ ...irc, policy: { send: 'deny' } }), fingerprint(irc));
    assert.notEqual(fingerprint({ ...irc, password: 'two' }), fingerprint(irc));
  });
});

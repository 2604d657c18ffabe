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

describe('sources of the configuration', () => {
  test('no more history is fetched than is kept', () => {
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

  test('a kind that this version cannot connect is listed, with what to do instead', () => {
    const [source] = sourcesIn({ mine: { kind: 'whatsapp' } });

    assert.partialDeepStrictEqual(source, {
      canStream: false,
      canSend: false,
      unavailable: 'This version of Switchboard cannot connect to whatsapp.',
      howToConnect: 'Import an export instead: switchboard chat import whatsapp <path> --source mine-archive',
    });
    assert.equal(source?.open, undefined);
  });

  test('nobody is told to import exports that cannot be read', () => {
    const [source] = sourcesIn({ mine: { kind: 'beeper' } });

    assert.match(source?.howToConnect ?? '', /^A newer version of Switchboard/);
  });

  test('a policy that changes is no reason to connect anew, but a password is', () => {
    const irc = { kind: 'irc', host: 'irc.test', nick: 'me', password: 'one' };
    const fingerprint = (source: object) => sourcesIn({ source })[0]?.fingerprint;

    assert.equal(fingerprint({ ...irc, policy: { send: 'deny' } }), fingerprint(irc));
    assert.notEqual(fingerprint({ ...irc, password: 'two' }), fingerprint(irc));
  });
});

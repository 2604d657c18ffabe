import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from '../../tests/support/config.ts';
import { configuredSources, storedSources } from './chat-sources.ts';

describe('the sources of the configuration', () => {
  test('are connected where there is a connector, pushed to, or told why they cannot be connected', async () => {
    const sources = await sourcesOf(`
  libera: { kind: irc, host: irc.example.org, nick: sb, history_days: 7, keep_days: 30 }
  hook: { kind: webhook, name: Hook }
  tg: { kind: telegram, api_id: 1, api_hash: x }`);

    const [irc, hook, telegram] = sources;
    assert.partialDeepStrictEqual(irc, { id: 'libera', canStream: true, canSend: true, keepDays: 30 });
    assert.deepEqual(irc?.history, { days: 7, messages: 100_000 });
    assert.partialDeepStrictEqual(hook, { name: 'Hook', canStream: true, canSend: false });
    assert.equal(hook?.open, undefined);
    assert.equal(telegram?.unavailable, 'This version of Switchboard cannot connect to telegram.');
    assert.match(telegram?.howToConnect ?? '', /switchboard chat import telegram/);
    assert.equal(telegram?.canStream, false);
  });

  test('have another fingerprint when a setting of the connection changes, and the same when only the policy does', async () => {
    const [one, same, other] = (
      await Promise.all(
        ['nick: a', 'nick: a, policy: { send: hold }', 'nick: b'].map((settings) =>
          sourcesOf(`\n  x: { kind: irc, host: h, ${settings} }`),
        ),
      )
    ).map(([source]) => source?.fingerprint);

    assert.equal(one, same);
    assert.notEqual(one, other);
  });

  test('that were added by a command are archives, or can be posted to', () => {
    const [archive, demo] = storedSources([
      { id: 'old', kind: 'archive', name: 'Old', settings: { format: 'telegram' }, createdAt: 0 },
      { id: 'demo', kind: 'webhook', name: 'Demo', settings: {}, createdAt: 0 },
    ]);

    assert.partialDeepStrictEqual(archive, { configuredIn: 'store', canStream: false, canSend: false });
    assert.partialDeepStrictEqual(demo, { configuredIn: 'store', canStream: true, canSend: false });
  });
});

async function sourcesOf(yaml: string) {
  const { config } = await load({ yaml: `sources:${yaml}` });
  return configuredSources(config.sources, '/home/of/switchboard');
}

import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileCache, memoryCache } from '../../src/servers/registries/cache.ts';
import { registryWorld } from '../support/servers/registry-world.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOUR_MS = 60 * 60_000;

describe('a search', () => {
  test('finds servers of the official registry (MR-T1), each in its newest version', async (t) => {
    const { registries } = await registryWorld(t);

    const { entries, problems, stale } = await registries.search('weather', { registry: 'official' });

    assert.deepEqual(
      entries.map(({ id, version }) => [id, version]),
      [
        ['io.github.example/weather', '1.2.0'],
        ['io.github.example/old-weather', '0.1.0'],
      ],
    );
    assert.deepEqual({ problems, stale }, { problems: [], stale: false });
  });

  test('finds servers of Smithery (MR-T2)', async (t) => {
    const { registries } = await registryWorld(t);

    const { entries } = await registries.search('weather', { registry: 'smithery' });

    assert.deepEqual(entries, [
      {
        registry: 'smithery',
        id: 'example/weather',
        title: 'Weather',
        description: 'Weather forecasts by city',
        verified: true,
        use_count: 11451,
        website: 'https://smithery.ai/servers/example/weather',
      },
    ]);
  });

  test('merges both, the official registry first (MR-T3)', async (t) => {
    const { registries } = await registryWorld(t);

    const { entries } = await registries.search('weather');

    assert.deepEqual(
      entries.map(({ registry }) => registry),
      ['official', 'official', 'smithery'],
    );
  });

  test('shows some of both when there are more than the limit', async (t) => {
    const { registries } = await registryWorld(t);

    const { entries, more } = await registries.search('e', { limit: 7 });
    const one = await registries.search('e', { limit: 1 });

    assert.deepEqual(
      entries.map(({ registry }) => registry),
      [...Array.from({ length: 5 }, () => 'official'), 'smithery', 'smithery'],
    );
    assert.ok(more > 200);
    assert.deepEqual(
      one.entries.map(({ registry }) => registry),
      ['official'],
    );
  });

  test('shows what is deprecated and leaves out what is deleted', async (t) => {
    const { registries } = await registryWorld(t);

    const { entries } = await registries.search('io.github.example');

    const old = entries.find(({ id }) => id.endsWith('old-weather'));
    assert.equal(old?.deprecated, true);
    assert.equal(old.status_message, 'Use io.github.example/weather');
    assert.ok(!entries.some(({ id }) => id.endsWith('gone')));
  });

  test('reads all pages, so that the best match is first wherever it is (MR-T4)', async (t) => {
    const { registries, requests } = await registryWorld(t);

    const { entries, more } = await registries.search('server-239', { registry: 'official' });
    const many = await registries.search('bulk', { registry: 'official', limit: 10 });

    assert.equal(entries[0]?.id, 'io.github.bulk/server-239');
    assert.equal(more, 0);
    assert.equal(many.entries.length, 10);
    assert.equal(many.more, 230);
    assert.equal(requests.length, 1 + 3);
  });

  test('skips malformed entries and counts them', async (t) => {
    const { registries, fail } = await registryWorld(t);
    fail('official', 'malformed-entry');
    fail('smithery', 'malformed-entry');

    const { entries, skipped } = await registries.search('weather');

    assert.equal(entries.length, 3);
    assert.equal(skipped, 4);
  });

  test('is not sent without words or with too many', async (t) => {
    const { registries, requests } = await registryWorld(t);

    for (const query of ['', '  ', 'x'.repeat(201)]) {
      await assert.rejects(registries.search(query), { code: 'VALIDATION_ERROR', field: 'query' });
    }

    assert.equal(requests.length, 0);
  });

  test('succeeds with one registry when the other fails, in each way', async (t) => {
    for (const fault of ['500', '429', 'garbage', '401', 'redirect', 'cut', 'large'] as const) {
      const { registries, fail } = await registryWorld(t, { maxBytes: 50_000 });
      fail('smithery', fault);

      const { entries, problems, stale } = await registries.search('weather');

      assert.deepEqual(
        entries.map(({ registry }) => registry),
        ['official', 'official'],
        fault,
      );
      assert.deepEqual(
        problems.map(({ registry }) => registry),
        ['smithery'],
        fault,
      );
      assert.equal(stale, false);
      assert.doesNotMatch(JSON.stringify(problems), /IGNORE|maintenance|Unauthorized/);
    }
  });

  test('succeeds with one registry when the other does not answer', async (t) => {
    const { registries, fail } = await registryWorld(t, { smitheryTimeoutMs: 500 });
    fail('smithery', 'slow');

    const { entries, problems } = await registries.search('weather');

    assert.equal(entries.length, 2);
    assert.deepEqual(problems, [{ registry: 'smithery', message: 'Smithery did not answer within 0.5 s.' }]);
  });

  test('fails when no registry answers', async (t) => {
    const { registries, fail } = await registryWorld(t);
    fail('official', '500');
    fail('smithery', 'cut');

    await assert.rejects(registries.search('weather'), {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The official MCP registry failed with status 500.',
    });
  });

  test('is repeated twice when a registry fails, and not when it refuses', async (t) => {
    const { registries, fail, requests } = await registryWorld(t);
    fail('official', '500', 2);
    fail('smithery', '401', 1);

    const { entries } = await registries.search('weather');

    assert.equal(entries.length, 2);
    assert.equal(requests.filter(({ url }) => url.startsWith('/official')).length, 3);
    assert.equal(requests.filter(({ url }) => url.startsWith('/smithery')).length, 1);
  });

  test('ends when its caller gives up', async (t) => {
    const { registries, fail, nextRequest } = await registryWorld(t);
    fail('official', 'slow');
    const controller = new AbortController();
    const arrived = nextRequest();

    const search = registries.search('weather', { registry: 'official', signal: controller.signal });
    await arrived;
    controller.abort();

    await assert.rejects(search, { code: 'TIMEOUT' });
  });

  test('sends the key to Smithery only, and it is in no problem', async (t) => {
    const { registries, requests, fail } = await registryWorld(t, { apiKey: 'a-secret-key' });
    fail('smithery', '401');

    const result = await registries.search('weather');

    const authorizationTo = (registry: string) => requests.find(({ url }) => url.startsWith(registry))?.authorization;
    assert.equal(authorizationTo('/official'), undefined);
    assert.equal(authorizationTo('/smithery'), 'Bearer a-secret-key');
    assert.doesNotMatch(JSON.stringify(result), /a-secret-key/);
  });
});

describe('a registry that limits its requests', () => {
  test('is not asked again before the time that it named', async (t) => {
    const { registries, fail, requests, clock } = await registryWorld(t);
    fail('official', '429', 1);

    await assert.rejects(registries.search('weather', { registry: 'official' }), {
      code: 'RATE_LIMITED',
      hint: 'Try again in 2 s.',
    });
    clock.advance(1_500);
    await assert.rejects(registries.search('files', { registry: 'official' }), { code: 'RATE_LIMITED' });
    assert.equal(requests.length, 1);
    clock.advance(500);
    const { entries } = await registries.search('weather', { registry: 'official' });

    assert.equal(entries.length, 2);
  });
});

describe('the time that a registry names', () => {
  test('is in seconds or a date, at most an hour, and a minute if it is missing or malformed', async (t) => {
    const start = Date.UTC(2030, 0, 1);
    const times: [string | undefined, string][] = [
      ['30', '30'],
      [new Date(start + 45_000).toUTCString(), '45'],
      [undefined, '60'],
      ['soon', '60'],
      ['999999999', '3600'],
    ];

    for (const [header, seconds] of times) {
      const { registries, fail, limitHeaders } = await registryWorld(t);
      delete limitHeaders['retry-after'];
      if (header !== undefined) limitHeaders['retry-after'] = header;
      fail('official', '429');

      const search = registries.search('weather', { registry: 'official' });

      await assert.rejects(search, { code: 'RATE_LIMITED', hint: `Try again in ${seconds} s.` }, header);
    }
  });
});

describe('the cache', () => {
  test('answers a search for an hour (MR-T5)', async (t) => {
    const { registries, requests, clock } = await registryWorld(t);

    const first = await registries.search('weather');
    clock.advance(HOUR_MS - 1);
    const second = await registries.search('Weather ');
    assert.equal(requests.length, 2);
    clock.advance(1);
    await registries.search('weather');

    assert.deepEqual(second, first);
    assert.equal(requests.length, 4);
  });

  test('answers for details for a day', async (t) => {
    const { registries, requests, clock } = await registryWorld(t);

    const first = await registries.details('io.github.example/weather');
    clock.advance(24 * HOUR_MS - 1);
    const second = await registries.details('io.github.example/weather');
    assert.equal(requests.length, 1);
    clock.advance(1);
    await registries.details('io.github.example/weather');

    assert.deepEqual(second, first);
    assert.equal(requests.length, 2);
  });

  test('is used when it is old and the registry fails (MR-T6)', async (t) => {
    const { registries, clock, fail } = await registryWorld(t);
    await registries.search('weather');
    await registries.details('io.github.example/weather');
    clock.advance(48 * HOUR_MS);
    fail('official', 'cut');
    fail('smithery', '429');

    const { entries, stale, problems } = await registries.search('weather');
    const details = await registries.details('io.github.example/weather');

    assert.equal(entries.length, 3);
    assert.equal(stale, true);
    assert.deepEqual(
      problems.map(({ registry }) => registry),
      ['official', 'smithery'],
    );
    assert.equal(details.stale, true);
  });

  test('in files is there for the next process, for its owner alone, and what is broken in it is ignored', async (t) => {
    const folder = join(
      temporaryFolder((clean) => t.after(clean)),
      'registries',
    );
    const first = await registryWorld(t, { cache: fileCache(folder) });
    const next = await registryWorld(t, { cache: fileCache(folder), server: first });
    const expected = await first.registries.search('weather', { registry: 'official' });

    const result = await next.registries.search('weather', { registry: 'official' });

    assert.deepEqual(result, expected);
    assert.equal(first.requests.length, 1);
    const [file = ''] = readdirSync(folder);
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
    writeFileSync(join(folder, file), '{"value":');
    assert.deepEqual(await next.registries.search('weather', { registry: 'official' }), expected);
    assert.equal(first.requests.length, 2);
  });

  test('of one address does not answer for another', async (t) => {
    const cache = memoryCache();
    const first = await registryWorld(t, { cache });
    const other = await registryWorld(t, { cache });

    await first.registries.search('weather', { registry: 'official' });
    await other.registries.search('weather', { registry: 'official' });

    assert.equal(other.requests.length, 1);
  });

  test('in files has a limited number of them', async (t) => {
    const folder = join(
      temporaryFolder((clean) => t.after(clean)),
      'registries',
    );
    const cache = fileCache(folder, 3);

    for (let index = 0; index < 6; index += 1) await cache.set(`key ${index}`, index, index);

    assert.equal(readdirSync(folder).length, 3);
  });
});

import assert from 'node:assert/strict';
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { checkComplete, fill, missing, suggestedAuth } from '../../src/servers/draft.ts';
import { fileCache, memoryCache } from '../../src/servers/registries/cache.ts';
import { officialRegistry } from '../../src/servers/registries/official.ts';
import { chooseOption } from '../../src/servers/registries/registry-entry.ts';
import type { RegistryCache } from '../../src/servers/registries/registry-port.ts';
import { createRegistries } from '../../src/servers/registries/search.ts';
import { smitheryRegistry } from '../../src/servers/registries/smithery.ts';
import { manualClock } from '../support/manual-clock.ts';
import { type RegistryServer, startRegistryServer } from '../support/servers/registry-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const HOUR_MS = 60 * 60_000;

interface World extends RegistryServer {
  clock: ReturnType<typeof manualClock>;
  registries: ReturnType<typeof createRegistries>;
}

async function world(
  context: TestContext,
  options: { apiKey?: string; smitheryTimeoutMs?: number; maxBytes?: number; cache?: RegistryCache } = {},
): Promise<World> {
  const server = await startRegistryServer((clean) => context.after(clean));
  const clock = manualClock();
  const { apiKey, smitheryTimeoutMs = 20_000, cache = memoryCache(), ...limits } = options;
  const common = { clock, retryPauseMs: 1, timeoutMs: 20_000, ...limits };
  const registries = createRegistries({
    registries: [
      smitheryRegistry({
        ...common,
        timeoutMs: smitheryTimeoutMs,
        baseUrl: server.smitheryUrl,
        ...(apiKey ? { apiKey } : {}),
      }),
      officialRegistry({ ...common, baseUrl: server.officialUrl }),
    ],
    cache,
    clock,
  });
  return { ...server, clock, registries };
}

describe('a search', () => {
  test('finds servers of the official registry (MR-T1), each in its newest version', async (t) => {
    const { registries } = await world(t);

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
    const { registries } = await world(t);

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
    const { registries } = await world(t);

    const { entries } = await registries.search('weather');

    assert.deepEqual(
      entries.map(({ registry }) => registry),
      ['official', 'official', 'smithery'],
    );
  });

  test('shows what is deprecated and leaves out what is deleted', async (t) => {
    const { registries } = await world(t);

    const { entries } = await registries.search('io.github.example');

    const old = entries.find(({ id }) => id.endsWith('old-weather'));
    assert.equal(old?.deprecated, true);
    assert.equal(old.status_message, 'Use io.github.example/weather');
    assert.ok(!entries.some(({ id }) => id.endsWith('gone')));
  });

  test('reads all pages, so that the best match is first wherever it is (MR-T4)', async (t) => {
    const { registries, requests } = await world(t);

    const { entries, more } = await registries.search('server-239', { registry: 'official' });
    const many = await registries.search('bulk', { registry: 'official', limit: 10 });

    assert.equal(entries[0]?.id, 'io.github.bulk/server-239');
    assert.equal(more, 0);
    assert.equal(many.entries.length, 10);
    assert.equal(many.more, 230);
    assert.equal(requests.length, 1 + 3);
  });

  test('skips malformed entries and counts them', async (t) => {
    const { registries, fail } = await world(t);
    fail('official', 'malformed-entry');
    fail('smithery', 'malformed-entry');

    const { entries, skipped } = await registries.search('weather');

    assert.equal(entries.length, 3);
    assert.equal(skipped, 4);
  });

  test('is not sent without words or with too many', async (t) => {
    const { registries, requests } = await world(t);

    for (const query of ['', '  ', 'x'.repeat(201)]) {
      await assert.rejects(registries.search(query), { code: 'VALIDATION_ERROR', field: 'query' });
    }

    assert.equal(requests.length, 0);
  });

  test('succeeds with one registry when the other fails, in each way', async (t) => {
    for (const fault of ['500', '429', 'garbage', '401', 'redirect', 'cut', 'large'] as const) {
      const { registries, fail } = await world(t, { maxBytes: 50_000 });
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
    const { registries, fail } = await world(t, { smitheryTimeoutMs: 500 });
    fail('smithery', 'slow');

    const { entries, problems } = await registries.search('weather');

    assert.equal(entries.length, 2);
    assert.deepEqual(problems, [{ registry: 'smithery', message: 'Smithery did not answer within 0.5 s.' }]);
  });

  test('fails when no registry answers', async (t) => {
    const { registries, fail } = await world(t);
    fail('official', '500');
    fail('smithery', 'cut');

    await assert.rejects(registries.search('weather'), {
      code: 'SERVICE_UNAVAILABLE',
      message: 'The official MCP registry failed with status 500.',
    });
  });

  test('is repeated twice when a registry fails, and not when it refuses', async (t) => {
    const { registries, fail, requests } = await world(t);
    fail('official', '500', 2);
    fail('smithery', '401', 1);

    const { entries } = await registries.search('weather');

    assert.equal(entries.length, 2);
    assert.equal(requests.filter(({ url }) => url.startsWith('/official')).length, 3);
    assert.equal(requests.filter(({ url }) => url.startsWith('/smithery')).length, 1);
  });

  test('ends when its caller gives up', async (t) => {
    const { registries, fail, nextRequest } = await world(t);
    fail('official', 'slow');
    const controller = new AbortController();
    const arrived = nextRequest();

    const search = registries.search('weather', { registry: 'official', signal: controller.signal });
    await arrived;
    controller.abort();

    await assert.rejects(search, { code: 'TIMEOUT' });
  });

  test('sends the key to Smithery only, and it is in no problem', async (t) => {
    const { registries, requests, fail } = await world(t, { apiKey: 'a-secret-key' });
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
    const { registries, fail, requests, clock } = await world(t);
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

describe('the cache', () => {
  test('answers a search for an hour (MR-T5)', async (t) => {
    const { registries, requests, clock } = await world(t);

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
    const { registries, requests, clock } = await world(t);

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
    const { registries, clock, fail } = await world(t);
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
    const { registries } = await world(t, { cache: fileCache(folder) });
    const first = await registries.search('weather', { registry: 'official' });
    const again = await world(t, { cache: fileCache(folder) });

    const second = await again.registries.search('weather', { registry: 'official' });

    assert.deepEqual(second, first);
    assert.equal(again.requests.length, 0);
    const [file = ''] = readdirSync(folder);
    assert.equal(statSync(join(folder, file)).mode & 0o777, 0o600);
    writeFileSync(join(folder, file), '{"value":');
    assert.equal((await again.registries.search('weather', { registry: 'official' })).entries.length, 2);
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

describe('a server of the official registry', () => {
  let found: (id: string, choice?: string) => Promise<ReturnType<typeof chooseOption>>;
  let registries: World['registries'];
  beforeEach(async (t) => {
    ({ registries } = await world(t as TestContext));
    found = async (id, choice) => chooseOption((await registries.details(id)).details, choice);
  });

  test('from npm has its variables as inputs (MR-T7), and its package (MR-T10)', async () => {
    const draft = await found('io.github.example/weather');

    assert.deepEqual(draft.package, { type: 'npm', identifier: '@example/weather-mcp', version: '1.2.0' });
    assert.deepEqual(draft.transport, { type: 'stdio' });
    assert.deepEqual(draft.source, { type: 'official', name: 'io.github.example/weather', version: '1.2.0' });
    assert.deepEqual(draft.inputs, [
      { key: 'WEATHER_API_KEY', kind: 'env', description: 'API key', required: true, secret: true },
      {
        key: 'UNITS',
        kind: 'env',
        description: 'Units',
        required: false,
        secret: false,
        default: 'metric',
        choices: ['metric', 'imperial'],
      },
    ]);
    assert.equal(suggestedAuth(draft), 'api_key');
  });

  test('without a required variable is not complete (MC-NT4, HOST-18), with it the value is a secret', async () => {
    const draft = await found('io.github.example/weather');

    assert.throws(() => checkComplete(draft), { code: 'VALIDATION_ERROR', field: 'WEATHER_API_KEY' });
    const complete = fill(draft, { WEATHER_API_KEY: ' key\n' });

    assert.deepEqual(missing(complete), []);
    assert.deepEqual(complete.env_vars, {
      WEATHER_API_KEY: { value: 'key', is_secret: true, required: true, description: 'API key' },
      UNITS: { value: 'metric', is_secret: false, description: 'Units' },
    });
  });

  test('takes positional, repeated and named arguments', async () => {
    const draft = fill(await found('io.github.example/files'), { target_dir: '/a, /b', 'log-level': 'debug' });

    assert.deepEqual(draft.args, ['/a', '/b', '--log-level', 'debug']);
    assert.deepEqual(missing(draft), []);
  });

  test('from an image takes arguments with variables for Docker', async () => {
    const draft = fill(await found('com.example/database'), { source_path: '["/x,y","/z"]', DB_PASSWORD: 'p' });

    assert.equal(draft.package.type, 'docker');
    assert.equal(draft.package.identifier, 'ghcr.io/example/database-mcp:3.1.0');
    assert.deepEqual(draft.package.runtime_args, [
      '--mount',
      'type=bind,src=/x,y,dst=/project',
      '--mount',
      'type=bind,src=/z,dst=/project',
    ]);
  });

  test('from PyPI is a package of it', async () => {
    const draft = await found('io.github.example/notes');

    assert.deepEqual(draft.package, { type: 'pypi', identifier: 'notes-mcp', version: '0.5.0' });
  });

  test('at an address has its variables and a secret header', async () => {
    const draft = fill(await found('com.example/tickets'), { tenant: 'acme', token: 's3cret' });

    assert.deepEqual(draft.transport, { type: 'http', url: 'https://acme.example.com/mcp' });
    assert.deepEqual(draft.package, { type: 'http', identifier: 'https://acme.example.com/mcp' });
    assert.deepEqual(draft.headers, { Authorization: { value: 'Bearer s3cret', is_secret: true, required: true } });
  });

  test('that is a bundle is not installable, and another kind of package than it has neither', async () => {
    await assert.rejects(found('io.github.example/editor'), {
      code: 'VALIDATION_ERROR',
      message: '"io.github.example/editor" cannot be installed: MCPB bundles are not supported.',
    });
    await assert.rejects(found('io.github.example/notes', 'docker'), {
      code: 'VALIDATION_ERROR',
      field: 'package',
      hint: 'It is offered as pypi.',
    });
  });

  test('can be had in an older version; what is deleted or unknown is not found', async () => {
    const { details } = await registries.details('io.github.example/weather', { version: '1.1.0' });

    assert.equal(details.version, '1.1.0');
    for (const id of ['io.github.example/gone', 'io.github.example/nothing', '../../health', '..', 'a/..', '']) {
      await assert.rejects(registries.details(id, { registry: 'official' }), { code: 'NOT_FOUND' }, id);
    }
  });
});

describe('a server of Smithery', () => {
  test('has its configuration in the query and in headers, secrets as references', async (t) => {
    const { registries } = await world(t);
    const { details } = await registries.details('example/weather', { registry: 'smithery' });

    const draft = chooseOption(details);
    const complete = fill(draft, { apiKey: 'k&y', team: 'red' });

    assert.deepEqual(
      missing(draft).map(({ key, kind, secret }) => ({ key, kind, secret })),
      [{ key: 'apiKey', kind: 'config', secret: true }],
    );
    assert.deepEqual(complete.transport, {
      type: 'http',
      url: `https://weather.example.run/mcp?apiKey=\${secret:apiKey}&units=metric`,
    });
    assert.deepEqual(complete.secrets, { apiKey: 'k&y' });
    assert.deepEqual(complete.headers, { 'X-Team': { value: 'red', is_secret: false } });
    assert.deepEqual(fill(complete, {}), complete);
  });

  test('that is a bundle is not installable, and its function is never run', async (t) => {
    const { registries } = await world(t);
    const { details } = await registries.details('example/local-files');

    assert.throws(() => chooseOption(details), { code: 'VALIDATION_ERROR', field: 'package' });
    assert.equal('smitheryFunctionRan' in globalThis, false);
    assert.doesNotMatch(JSON.stringify(details), /smitheryFunctionRan/);
  });

  test('is found when the official registry does not have it, and not when that cannot be asked', async (t) => {
    const { registries, fail } = await world(t);

    assert.equal((await registries.details('example/weather')).details.registry, 'smithery');
    fail('official', '500');
    await assert.rejects(registries.details('example/unknown'), { code: 'SERVICE_UNAVAILABLE' });
  });
});

import assert from 'node:assert/strict';
import { beforeEach, describe, type TestContext, test } from 'node:test';
import { checkComplete, fill, missing, suggestedAuth } from '../../src/servers/draft/draft.ts';
import { chooseOption } from '../../src/servers/registries/registry-entry.ts';
import { type RegistryWorld, registryWorld } from '../support/servers/registry-world.ts';

describe('a server of the official registry', () => {
  let found: (id: string, choice?: string) => Promise<ReturnType<typeof chooseOption>>;
  let registries: RegistryWorld['registries'];
  beforeEach(async (t) => {
    ({ registries } = await registryWorld(t as TestContext));
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

    assert.throws(() => checkComplete(draft), { code: 'VALIDATION_ERROR', field: 'env_vars' });
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
    const { registries } = await registryWorld(t);
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
    const { registries } = await registryWorld(t);
    const { details } = await registries.details('example/local-files');

    assert.throws(() => chooseOption(details), { code: 'VALIDATION_ERROR', field: 'package' });
    assert.equal('smitheryFunctionRan' in globalThis, false);
    assert.doesNotMatch(JSON.stringify(details), /smitheryFunctionRan/);
  });

  test('is found when the official registry does not have it, and not when that cannot be asked', async (t) => {
    const { registries, fail } = await registryWorld(t);

    assert.equal((await registries.details('example/weather')).details.registry, 'smithery');
    fail('official', '500');
    await assert.rejects(registries.details('example/unknown'), { code: 'SERVICE_UNAVAILABLE' });
  });
});

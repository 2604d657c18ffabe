import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { CONFIG_MODEL } from '../../tests/support/config.ts';
import { contextWith } from '../../tests/support/operation-context.ts';
import { AppError } from '../domain/errors.ts';
import { configPath } from '../system/operations/config-path.ts';
import { showConfig } from '../system/operations/show-config.ts';
import { validateConfig } from '../system/operations/validate-config.ts';
import { configPort } from './port.ts';

describe('the configuration commands', () => {
  let home = '';
  let file = '';
  const context = (env: Record<string, string> = {}) =>
    contextWith({ config: configPort({ model: CONFIG_MODEL, home, env, flags: {} }) });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'switchboard-port-'));
    file = join(home, 'config.yaml');
  });
  afterEach(() => rmSync(home, { recursive: true }));

  test('CORE-11 config show lists key, value and origin, and no secret', async () => {
    writeFileSync(file, 'auth: { token: hunter2hunter2 }\nclaude: { temperature: 1 }');

    const output = await showConfig.run({}, context({ SWITCHBOARD_LOG_LEVEL: 'warn' }));
    const text = showConfig.render?.(showConfig.output.parse(output)) ?? '';

    assert.equal(output.file, file);
    assert.match(text, /^auth\.token +•••• +config\.yaml:1$/m);
    assert.match(text, /^logging\.level +warn +SWITCHBOARD_LOG_LEVEL$/m);
    assert.match(text, /^daemon\.autostart +true +default$/m);
    assert.match(text, /^claude\.model +- +default$/m);
    assert.match(text, /^Warning: claude\.temperature/m);
    assert.ok(!JSON.stringify(output).includes('hunter2'));
  });

  test('a long value is shortened in text and complete in JSON', async () => {
    writeFileSync(file, `server: { name: ${'n'.repeat(200)} }`);

    const output = await showConfig.run({}, context());
    const text = showConfig.render?.(showConfig.output.parse(output)) ?? '';

    assert.match(text, /^server\.name +n{59}… +config\.yaml:1$/m);
    assert.equal(output.settings.find(({ key }) => key === 'server.name')?.value, 'n'.repeat(200));
  });

  test('config validate reports a valid configuration, with warnings', async () => {
    writeFileSync(file, 'claude: { temperature: 1 }');

    const output = await validateConfig.run({}, context());
    const text = validateConfig.render?.(validateConfig.output.parse(output)) ?? '';

    assert.deepEqual([output.valid, output.path, output.exists], [true, file, true]);
    assert.match(text, new RegExp(`^${file} is valid\\.\nWarning: claude\\.temperature`));
  });

  test('config validate fails when a referenced secret is missing, with a hint how to store it', async () => {
    writeFileSync(file, `auth: { token: "\${secret:OWNER}" }`);
    const config = configPort({ model: CONFIG_MODEL, home, env: {}, secret: async () => undefined });

    await assert.rejects(validateConfig.run({}, contextWith({ config })), {
      code: 'VALIDATION_ERROR',
      message: /auth\.token .*refers to the secret OWNER, .*`switchboard secret set OWNER`/,
    });
  });

  test('config validate reports when it could not check secrets', async () => {
    writeFileSync(file, `auth: { token: "\${secret:OWNER}" }`);
    const secret = async () => {
      throw new AppError('SERVICE_UNAVAILABLE', 'The passphrase is missing.');
    };

    const { valid, warnings } = await validateConfig.run(
      {},
      contextWith({ config: configPort({ model: CONFIG_MODEL, home, env: {}, secret }) }),
    );

    assert.equal(valid, true);
    assert.match(warnings.join(), /was not seen: The passphrase is missing\./);
  });

  test('config validate fails for any error in the file or the environment', async () => {
    writeFileSync(file, 'limts: {}');

    await assert.rejects(validateConfig.run({}, context({ SWITCHBOARD_NO__KEY: '1' })), {
      code: 'VALIDATION_ERROR',
      message: /limts .*\n.*SWITCHBOARD_NO__KEY/,
    });
  });

  test('config validate accepts another file, which must exist', async () => {
    const other = join(home, 'other.yaml');
    writeFileSync(other, 'server: { name: other }');

    const output = await validateConfig.run({ path: other }, context());

    assert.equal(output.path, other);
    await assert.rejects(validateConfig.run({ path: `${other}x` }, context()), { code: 'NOT_FOUND' });
  });

  test('without a file the commands report that', async () => {
    const shown = await showConfig.run({}, context());
    const validated = await validateConfig.run({}, context());
    const path = await configPath.run({}, context());

    assert.match(showConfig.render?.(showConfig.output.parse(shown)) ?? '', /There is no configuration file\.$/);
    assert.match(
      validateConfig.render?.(validateConfig.output.parse(validated)) ?? '',
      /^There is no file .*; the defaults/,
    );
    assert.deepEqual(path, { path: file, exists: false });
    assert.equal(configPath.render?.(path), file);
  });

  test('the whole configuration is one object with masked secrets', async () => {
    writeFileSync(file, 'auth: { token: hunter2hunter2 }');

    const masked = await configPort({ model: CONFIG_MODEL, home, env: {}, flags: {} }).masked();

    assert.deepEqual(masked.auth, { token: '••••', tokens: [] });
  });
});

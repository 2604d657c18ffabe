import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { serverConfig } from '../../../tests/support/servers/process-config.ts';
import type { SecretGroups } from '../../capability.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import { resolveValues } from './values.ts';

/** The secrets of the server `acme`. */
function secretsWith(values: Record<string, string>): SecretGroups {
  return {
    get: async (group: string, name: string) => (group === 'server/acme' ? values[name] : undefined),
    resolve: async (value: string) => value.replace(`\${env:REGION}`, 'eu'),
  } as unknown as SecretGroups;
}

const configWith = (given: Partial<ServerConfig>) =>
  serverConfig({ package: { type: 'npm', identifier: 'acme' }, ...given });

describe('the values of a server', () => {
  test('MC-T6 MC-T7 are those of the configuration and of the secrets store', async () => {
    const config = configWith({
      env_vars: {
        MODE: { value: 'fast', is_secret: false },
        WHERE: { value: `\${env:REGION}`, is_secret: false },
        TOKEN: { secret_ref: 'TOKEN', is_secret: true },
        UNSET: { is_secret: false },
      },
      headers: { 'X-Key': { secret_ref: 'header.x-key', is_secret: true } },
      auth: { type: 'bearer' },
    });

    const values = await resolveValues(
      config,
      secretsWith({ TOKEN: 'one', 'header.x-key': 'two', bearer_token: 'three' }),
    );

    assert.deepEqual(values, {
      env: { MODE: 'fast', WHERE: 'eu', TOKEN: 'one' },
      headers: { 'X-Key': 'two', Authorization: 'Bearer three' },
      url: '',
    });
  });

  test('HOST-09 a missing one is named before anything is started', async () => {
    const config = configWith({
      env_vars: { TOKEN: { secret_ref: 'TOKEN', is_secret: true }, REGION: { is_secret: false, required: true } },
      auth: { type: 'bearer' },
    });

    await assert.rejects(resolveValues(config, secretsWith({})), {
      code: 'VALIDATION_ERROR',
      message: 'Missing required credentials',
      field: 'env_vars',
      hint: /TOKEN, REGION, bearer_token/,
    });
  });
});

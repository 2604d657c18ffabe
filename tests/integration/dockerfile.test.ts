import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildInFolder, type Image } from '../support/dockerfile.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// The image runs a copy that is deleted before coverage is counted.
const { NODE_V8_COVERAGE: _, ...env } = process.env;
const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// Containers are not available everywhere, so the steps of the Dockerfile are run without them.
describe('the Dockerfile', () => {
  const folder = temporaryFolder(after);
  let image: Image;

  before(async () => {
    image = await buildInFolder(root, folder, { ...env, npm_config_prefer_offline: 'true' });
  });

  test('CORE-15 its default command answers initialize on stdio and exits at the end of input', async () => {
    const [program = '', ...args] = [...image.entrypoint, ...image.command];
    const server = spawn(program, args, { env: { ...env, ...image.env }, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: server.stdout });
    const exited = once(server, 'exit');

    server.stdin.write(`${JSON.stringify(initialize)}\n`);
    const [line] = (await once(lines, 'line')) as [string];
    server.stdin.end();
    const [code] = await exited;

    const answer = JSON.parse(line);
    assert.equal(answer.id, 1);
    assert.equal(answer.result.protocolVersion, '2025-11-25');
    assert.equal(code, 0);
  });

  test('its health check passes with a writable home', async () => {
    const [program = '', ...args] = image.health;

    const check = promisify(execFile)(program, args, { env: { ...env, ...image.env } });

    await assert.doesNotReject(check);
  });

  test('it does not run as root', () => {
    assert.notEqual(image.user, 'root');
  });

  test('everything that it copies is in the build context', () => {
    const ignore = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n');
    const copied = readFileSync(join(root, 'Dockerfile'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(/\s+/).slice(1, -1));

    const missing = copied.filter((path) => !ignore.includes(`!${path.split('/')[0]}`));

    assert.deepEqual(missing, []);
  });
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

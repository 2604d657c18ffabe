import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { problemsOf } from '../support/http/openapi.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);

describe('HTTP endpoints besides MCP', () => {
  const home = join(folder, 'home');
  let program: Awaited<ReturnType<typeof startHttp>>;

  before(async () => {
    program = await startHttp({ home });
  });

  after(() => program.stop());

  test('openapi.json describes every REST route in a valid OpenAPI document', async () => {
    const { status, document } = await openApi(program.base);

    const routes = composedCapabilities().flatMap(({ operations }) =>
      operations.flatMap(({ rest }) =>
        rest ? [`${rest.method.toLowerCase()} ${rest.path.replace(/:(\w+)/g, '{$1}')}`] : [],
      ),
    );
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    assert.equal(status, 200);
    assert.deepEqual(problemsOf(document), []);
    assert.deepEqual(described.sort(), [...routes, 'get /events'].sort());
  });

  test('responses match the OpenAPI document', async () => {
    const { document } = await openApi(program.base);
    const status = (await (await fetch(`${program.base}/api/v1/status`)).json()) as object;

    const schema = document.paths['/status']?.get?.responses['200']?.content['application/json']?.schema;
    assert.ok(schema && schema.required.length > 5);
    assert.deepEqual(
      schema.required.filter((name) => !(name in status)),
      [],
    );
  });

  test('/readyz returns 200 while the store is available and 503 while it is not', async () => {
    const ready = await fetch(`${program.base}/readyz`);
    renameSync(join(home, 'switchboard.db'), join(home, 'away.db'));
    const unready = await fetch(`${program.base}/readyz`);
    const alive = await fetch(`${program.base}/healthz`);
    renameSync(join(home, 'away.db'), join(home, 'switchboard.db'));
    const again = await fetch(`${program.base}/readyz`);

    assert.deepEqual([ready.status, unready.status, alive.status, again.status], [200, 503, 200, 200]);
    assert.deepEqual(await unready.json(), { status: 'not ready', reasons: ['The store does not answer.'] });
  });
});

test('with --read-only there is no route that changes anything', async (context) => {
  const program = await startHttp({ home: join(folder, 'reading') }, ['--read-only']);
  context.after(() => program.stop());

  const read = await fetch(`${program.base}/api/v1/secrets`);
  const written = await fetch(`${program.base}/api/v1/secrets/shared`, { method: 'DELETE' });
  const { document } = await openApi(program.base);

  assert.deepEqual([read.status, written.status], [200, 404]);
  assert.equal(document.paths['/secrets/{name}'], undefined);
});

interface Route {
  responses: Record<string, { content: Record<string, { schema: { required: string[] } }> }>;
}

async function openApi(base: string) {
  const response = await fetch(`${base}/api/v1/openapi.json`);
  const document = (await response.json()) as { paths: Record<string, Record<string, Route>> };
  return { status: response.status, document };
}

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { composedCapabilities } from '../../src/compose.ts';
import { HUMAN_SCOPE, RIGHTS } from '../../src/domain/principal.ts';
import { nameOf, rightOf } from '../../src/operation.ts';
import { startHttp } from '../support/mcp/mcp-program.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { runProgram } from '../support/program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const OWNER = 'the-owner-of-this-machine';
const MANAGE = 'system:manage';
/** Every scope there is: a new capability is tested without a change here. */
const SCOPES = [
  ...composedCapabilities().flatMap(({ name }) => RIGHTS.map((right) => `${name}:${right}`)),
  HUMAN_SCOPE,
];

describe('nobody gets more rights than they have', () => {
  const home = join(temporaryFolder(after), 'home');
  let server: Awaited<ReturnType<typeof startHttp>>;
  /** A token for each scope, with `system:manage` beside it. */
  const holders = new Map<string, string>();

  before(async () => {
    mkdirSync(home, { recursive: true });
    const stored = await runProgram(['secret', 'set', 'OWNER_TOKEN'], { home, stdin: OWNER });
    assert.equal(stored.code, 0, stored.stderr);
    writeFileSync(join(home, 'config.yaml'), `auth: { token: "\${secret:OWNER_TOKEN}" }\n`);
    server = await startHttp({ home });
    await inGroups(SCOPES, async (scope) => {
      holders.set(scope, await made(`holds-${nameOfScope(scope)}`, [MANAGE, scope]));
    });
  });
  after(async () => {
    await server.stop();
    removeHome(home);
  });

  test('system:manage does not become the owner by the secret that auth.token refers to', async () => {
    const manager = holders.get(MANAGE) ?? '';
    const taken = { value: 'mine-now' };

    const outcomes = [
      await status(manager, 'PUT', '/secrets/OWNER_TOKEN', taken),
      await status(manager, 'DELETE', '/secrets/OWNER_TOKEN'),
    ];
    const refused = await call(manager, 'PUT', '/secrets/OWNER_TOKEN', taken);

    assert.deepEqual(outcomes, [403, 403]);
    assert.match(JSON.stringify(await refused.json()), /Only the owner may do this/);
    assert.deepEqual([await status(OWNER, 'GET', '/tokens'), await status('mine-now', 'GET', '/tokens')], [200, 401]);
  });

  test('over all scopes: a secret, referred to or not, of any group, is written and deleted by the owner alone', async () => {
    const secrets = ['OWNER_TOKEN', 'UNUSED', 'PASSWORD?group=source/libera', 'KEY?group=server/github'];
    const everything = await made('everything', SCOPES);
    const outcomes = new Set<number>();

    await inGroups([...holders.values(), everything], async (token) => {
      for (const name of secrets) {
        outcomes.add(await status(token, 'PUT', `/secrets/${name}`, { value: 'x' }));
        outcomes.add(await status(token, 'DELETE', `/secrets/${name}`));
      }
    });
    const owner = [
      await status(OWNER, 'PUT', '/secrets/UNUSED', { value: 'x' }),
      await status(OWNER, 'DELETE', '/secrets/UNUSED'),
    ];

    assert.deepEqual([...outcomes], [403]);
    assert.deepEqual(owner, [200, 200]);
  });

  test('over all pairs of scopes: a token makes and removes a token of another scope only if it has that scope', async () => {
    const pairs = SCOPES.flatMap((wanted) => [...holders].map(([held, token]) => ({ wanted, held, token })));
    const strong = new Map<string, string>();
    for (const wanted of SCOPES) strong.set(wanted, `strong-${nameOfScope(wanted)}`);
    await Promise.all([...strong].map(([wanted, name]) => made(name, [wanted])));

    await inGroups(pairs, async ({ wanted, held, token }) => {
      const name = `${nameOfScope(held)}-${nameOfScope(wanted)}`;
      const expected = wanted === held || wanted === MANAGE ? 200 : 403;

      const added = await status(token, 'POST', '/tokens', { name, scopes: [wanted] });
      const removed = await status(token, 'DELETE', `/tokens/${added === 200 ? name : strong.get(wanted)}`);

      assert.deepEqual([added, removed], [expected, expected], `${held} and ${wanted}`);
    });
  });

  test('over all scopes: without system:manage no token touches secrets or tokens', async () => {
    const others = SCOPES.filter((scope) => scope !== MANAGE);

    await inGroups(others, async (scope) => {
      const name = `plain-${nameOfScope(scope)}`;
      const token = await made(name, [scope]);
      const outcomes = [
        await status(token, 'POST', '/tokens', { name: 'x', scopes: [scope] }),
        await status(token, 'DELETE', `/tokens/${name}`),
        await status(token, 'GET', '/tokens'),
        await status(token, 'PUT', '/secrets/UNUSED', { value: 'x' }),
        await status(token, 'GET', '/secrets'),
      ];

      assert.deepEqual([...new Set(outcomes)], [403], scope);
    });
  });

  test('a token remade under the name of a stronger one has its own rights only', async () => {
    const manager = holders.get('chat:read') ?? '';
    await made('strong', ['chat:manage']);

    const outcomes = [
      await status(manager, 'POST', '/tokens', { name: 'strong', scopes: ['chat:read'] }),
      await status(manager, 'POST', '/tokens', { name: 'Strong', scopes: ['chat:read'] }),
      await status(manager, 'DELETE', '/tokens/strong'),
      await status(manager, 'POST', '/tokens', { name: 'OWNER', scopes: ['chat:read'] }),
    ];

    assert.deepEqual(outcomes, [409, 409, 403, 409]);
  });

  async function made(name: string, scopes: readonly string[]): Promise<string> {
    const response = await call(OWNER, 'POST', '/tokens', { name, scopes });
    assert.equal(response.status, 200, name);
    return ((await response.json()) as { token: string }).token;
  }

  async function status(token: string, method: string, route: string, body?: object): Promise<number> {
    const response = await call(token, method, route, body);
    await response.bytes();
    return response.status;
  }

  function call(token: string, method: string, route: string, body?: object): Promise<Response> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${server.base}/api/v1${route}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  }
});

describe('operations that could give rights', () => {
  test('what changes the system from afar is for the owner, or is listed here with what it gives', () => {
    const listed: Readonly<Record<string, string>> = {
      'token add': 'a token with rights that its maker has',
      'token remove': 'nothing; the last token stays',
      'secret rotate': 'nothing: values stay the same',
    };
    const unlisted = composedCapabilities()
      .filter(({ name }) => name === 'system')
      .flatMap(({ operations }) => operations)
      .filter((operation) => operation.effect !== 'reads' && (operation.rest || operation.mcp) && !operation.ownerOnly)
      .map(nameOf)
      .filter((name) => !Object.hasOwn(listed, name));

    assert.deepEqual(unlisted, []);
  });

  test('what writes files, or replaces the store, is for the owner', () => {
    const manage = composedCapabilities()
      .filter(({ name }) => name === 'system')
      .flatMap(({ operations }) => operations)
      .filter((operation) => rightOf(operation) === 'manage' && operation.ownerOnly)
      .map(nameOf);

    for (const name of ['secret set', 'secret delete', 'db backup', 'db restore', 'connect', 'service install']) {
      assert(manage.includes(name), name);
    }
  });
});

function nameOfScope(scope: string): string {
  return scope.replace(':', '-');
}

/** Several at the same time, because each call waits for the disk. */
async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const SIZE = 30;
  for (let start = 0; start < items.length; start += SIZE) {
    await Promise.all(items.slice(start, start + SIZE).map(work));
  }
}

import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { declareLate, useLate } from '../../scripts/bundle/late-schemas.ts';
import { guardQuickly } from '../../scripts/bundle/quick-guards.ts';

const SDK = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol');
/** Those that make schemas, and what the test looks at in them. */
const EXPORTS = `
export * as shared from '@modelcontextprotocol/core/internal';
export { toJSONSchema } from 'zod/v4';
export { buildSchemas2025, buildSchemas2026, registryMaps, getWireResultSchemas, rev2025Codec, ROOT_KEYS };
export const guards = { isJSONRPCRequest, isJSONRPCNotification, isJSONRPCResultResponse, isJSONRPCErrorResponse,
  isInitializeRequest };
`;

type Schemas = Record<string, unknown>;
interface Sdk {
  shared: Schemas;
  toJSONSchema(schema: unknown, options: object): object;
  buildSchemas2025(): Schemas;
  buildSchemas2026(): Schemas;
  registryMaps(): Record<string, Schemas>;
  getWireResultSchemas(): Schemas;
  ROOT_KEYS: Set<string> | (() => Set<string>);
  rev2025Codec: Record<'validateRequest' | 'validateResult', (method: string, raw: unknown) => unknown>;
  guards: Record<string, (value: unknown) => boolean>;
}

describe('the schemas of the MCP SDK in the bundle', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'late-schemas-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const declared = declareLate(sdkFile('core', /^schemas-.*\.mjs$/)).names;
  const [original, late] = await Promise.all([
    load('original', (code) => code),
    load('late', (code, isDeclaration) =>
      isDeclaration ? declareLate(code).code : useLate(guardQuickly(code), declared),
    ),
  ]);

  test('that both eras share are the same as in the SDK, made when they are used', () => {
    const exported = declared.filter((name) => original.shared[name] !== undefined);

    assert.ok(exported.length > 150);
    for (const name of exported) {
      const make = late.shared[name];
      assert.equal(typeof make, 'function', name);
      assert.deepEqual(shapeOf(late, (make as () => unknown)()), shapeOf(original, original.shared[name]), name);
    }
  });

  for (const builder of ['buildSchemas2025', 'buildSchemas2026', 'getWireResultSchemas'] as const) {
    test(`of ${builder} are the same as in the SDK`, () => {
      const [ours, theirs] = [late[builder](), original[builder]()];

      assert.deepEqual(Object.keys(ours), Object.keys(theirs));
      for (const name of Object.keys(theirs)) assertSame(ours[name], theirs[name], name);
    });
  }

  test('of each method are the same as in the SDK, and made once', () => {
    const [ours, theirs] = [late.registryMaps(), original.registryMaps()];

    for (const [kind, schemas] of Object.entries(theirs)) {
      for (const method of Object.keys(schemas)) {
        assertSame(ours[kind]?.[method], schemas[method], `${kind} ${method}`);
        assert.equal(late.registryMaps()[kind]?.[method], ours[kind]?.[method]);
      }
    }
  });

  test('make the same constants as in the SDK', () => {
    assert.deepEqual(typeof late.ROOT_KEYS === 'function' && late.ROOT_KEYS(), original.ROOT_KEYS);
  });

  const anything = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
  const text = fc.record({ type: fc.constant('text'), text: fc.string() });
  const block = fc.oneof(
    text,
    fc.record({ type: fc.constantFrom('text', 'image'), text: anything, more: anything }, { requiredKeys: [] }),
  );
  const values = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue(), { maxKeys: 3 });

  const hello = fc.record(
    {
      method: fc.constantFrom('initialize', 'ping'),
      params: fc.record(
        {
          protocolVersion: fc.oneof(fc.constant('2025-11-25'), anything),
          capabilities: fc.oneof(
            fc.record({ roots: fc.record({ listChanged: fc.boolean() }, { requiredKeys: [] }) }, { requiredKeys: [] }),
            fc.record({ roots: anything, sampling: anything, more: anything }, { requiredKeys: [] }),
            anything,
          ),
          clientInfo: fc.oneof(
            fc.record({ name: fc.string(), version: fc.string() }),
            fc.record({ name: anything, version: anything, title: anything }, { requiredKeys: [] }),
          ),
          _meta: anything,
        },
        { requiredKeys: ['protocolVersion', 'capabilities', 'clientInfo'] },
      ),
      jsonrpc: anything,
      id: anything,
    },
    { requiredKeys: ['method', 'params'] },
  );

  test('tell what a message is as in the SDK, whatever it is', () => {
    const some = <T>(...values: T[]) => fc.option(fc.constantFrom(...values), { nil: undefined });
    const message = fc.record(
      {
        jsonrpc: fc.constantFrom('2.0', '1.0'),
        id: some<unknown>(1, 'a', null, 1.5, {}),
        method: some<unknown>('tools/list', null, 1),
        params: some<unknown>({}, [], null, { _meta: {} }, { _meta: 1 }),
        result: some<unknown>({}, null, 'x'),
        error: some<unknown>({ code: 1, message: '' }, {}, null),
      },
      { requiredKeys: [] },
    );

    fc.assert(
      fc.property(fc.oneof(message, hello, fc.jsonValue(), fc.constant(undefined)), (value) => {
        for (const [name, guard] of Object.entries(original.guards)) {
          assert.equal(late.guards[name]?.(value), guard(value), name);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  for (const [check, method, message] of [
    ['validateRequest', 'initialize', hello],
    [
      'validateResult',
      'tools/call',
      fc.record(
        {
          content: fc.oneof(fc.array(text), fc.array(block), anything),
          structuredContent: fc.oneof(values, anything),
          isError: fc.oneof(fc.boolean(), anything),
          _meta: anything,
        },
        { requiredKeys: [] },
      ),
    ],
    [
      'validateRequest',
      'tools/call',
      fc.record(
        {
          method: fc.constantFrom('tools/call', 'tools/list'),
          params: fc.oneof(
            fc.record({ name: fc.string(), arguments: values }),
            fc.record({ name: anything, arguments: anything, task: anything, _meta: anything }, { requiredKeys: [] }),
          ),
          jsonrpc: anything,
          id: anything,
        },
        { requiredKeys: ['method'] },
      ),
    ],
  ] as const) {
    test(`${check} of ${method} answers as in the SDK, whatever it is given`, () => {
      fc.assert(
        fc.property(message, (raw) => {
          assert.deepEqual(
            late.rev2025Codec[check](method, structuredClone(raw)),
            original.rev2025Codec[check](method, structuredClone(raw)),
          );
        }),
        { numRuns: 1_000 },
      );
    });
  }

  function assertSame(ours: unknown, theirs: unknown, name: string): void {
    if (isSchema(theirs)) return assert.deepEqual(shapeOf(late, ours), shapeOf(original, theirs), name);
    for (const [key, schema] of Object.entries(theirs as Schemas)) assertSame((ours as Schemas)[key], schema, key);
  }

  /** The SDK's main module as it is after `change`, with what it hides. */
  async function load(name: string, change: (code: string, isDeclaration: boolean) => string): Promise<Sdk> {
    const outfile = join(folder, `${name}.mjs`);
    await build({
      stdin: {
        contents: change(sdkFile('server', /^src-.*\.mjs$/), false) + EXPORTS,
        resolveDir: join(SDK, 'server', 'dist'),
      },
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node24',
      outfile,
      logLevel: 'error',
      plugins: [
        {
          name: 'declaration',
          setup: ({ onLoad }) =>
            onLoad({ filter: /core[\\/]dist[\\/]schemas-[\w-]+\.mjs$/ }, ({ path }) => ({
              contents: change(readFileSync(path, 'utf8'), true),
            })),
        },
      ],
    });
    return (await import(pathToFileURL(outfile).href)) as Sdk;
  }
});

function sdkFile(part: string, name: RegExp): string {
  const folder = join(SDK, part, 'dist');
  const [file = ''] = readdirSync(folder).filter((each) => name.test(each));
  return readFileSync(join(folder, file), 'utf8');
}

function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && '_zod' in value;
}

function shapeOf({ toJSONSchema }: Sdk, schema: unknown): object {
  return toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
}

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { lazyOperations } from '../../scripts/bundle/lazy-operations.ts';

const GREET = `
globalThis.evaluated = [...(globalThis.evaluated ?? []), 'greet'];
class Schema { check(text) { return text === 'hello'; } }
export const greet = {
  mcp: { name: 'greet' },
  cli: { path: 'greet', examples: ['greet world'], list: { columns: ['a'], line: (thing) => 'line of ' + thing } },
  kind: 'query',
  description: 'Says hello.',
  idempotent: true,
  deadlineMs: undefined,
  input: new Schema(),
  run: async ({ name }) => 'hello ' + name,
};
`;

interface Greet {
  mcp: object;
  cli: { path: string; list: { line(thing: string): string } };
  input: { check(text: string): boolean };
  run(input: object): Promise<string>;
}

describe('operations in the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lazy-operations-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('are listed without being evaluated, and are evaluated on first use', async () => {
    const { operations } = await bundled('good', { 'operations/greet.ts': GREET });
    const [greet] = operations as [Greet];
    const evaluated = () => (globalThis as { evaluated?: string[] }).evaluated ?? [];
    // The build evaluates the module once.
    const before = evaluated().length;

    assert.deepEqual({ ...greet.mcp, path: greet.cli.path }, { name: 'greet', path: 'greet' });
    assert.equal(evaluated().length, before);
    assert.equal(greet.input.check('hello'), true);
    assert.equal(greet.cli.list.line('a'), 'line of a');
    assert.equal(await greet.run({ name: 'world' }), 'hello world');
    assert.equal(evaluated().length, before + 1);
  });

  test('whose module exports anything else stop the build', async () => {
    const more = `${GREET}\nexport const helper = () => 1;`;

    await assert.rejects(
      bundled('bad', { 'operations/greet.ts': more }),
      /operations\/greet\.ts may export nothing but operations, not helper/,
    );
  });

  test('leave other imports of a capability unchanged', async () => {
    const capability = `
      import { greet } from './operations/greet.ts';
      import { twice } from './twice.ts';
      export const operations = [greet, twice(2)];`;

    const { operations } = await bundled('mixed', {
      'capability.ts': capability,
      'operations/greet.ts': GREET,
      'twice.ts': 'export const twice = (number: number) => number * 2;',
    });

    assert.equal(operations[1], 4);
  });

  /** What a capability with these files exports once it is built. */
  async function bundled(name: string, files: Record<string, string>): Promise<{ operations: unknown[] }> {
    const source = join(folder, name);
    mkdirSync(join(source, 'operations'), { recursive: true });
    const capability = `import { greet } from './operations/greet.ts'; export const operations = [greet];`;
    for (const [path, code] of Object.entries({ 'capability.ts': capability, ...files })) {
      writeFileSync(join(source, path), code);
    }
    const outfile = join(source, 'built.mjs');
    await build({
      entryPoints: [join(source, 'capability.ts')],
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
      plugins: [lazyOperations()],
    });
    return import(pathToFileURL(outfile).href);
  }
});

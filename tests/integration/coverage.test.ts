import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { temporaryFolder } from '../support/temporary-folder.ts';

const { linesThatRan } = await import(script('recordings.mjs'));
const { runnablePlaces } = await import(script('sources.mjs'));

const program = `import { argv } from 'node:process';

// A comment is never run.
interface Greeting {
  text: string;
}

export function greet(name: string): Greeting {
  if (name === 'nobody') {
    return { text: 'silence' };
  }
  return { text: name };
}

export function neverCalled(): string {
  return 'never';
}

console.log(greet(argv[2] ?? 'you').text, typeof neverCalled);
`;
const RUNNABLE = [8, 9, 10, 12, 15, 16, 19];
const RAN = [8, 9, 12, 19];

describe('line coverage', () => {
  const root = temporaryFolder(after);
  const source = join(root, 'src/greet.ts');
  mkdirSync(join(root, 'src'));
  writeFileSync(source, program);

  test('lines of types, comments and imports do not count', async () => {
    const places = await runnablePlaces(root, ['src/greet.ts']);

    const lines = places.get('src/greet.ts').map(({ line }: { line: number }) => line + 1);
    assert.deepEqual([...new Set(lines)], RUNNABLE);
  });

  test('CORE-14 a source that runs unbundled covers the lines that ran', async () => {
    const recorded = await record(source, join(root, 'from-source'));

    const lines = await linesCovered(root, recorded);

    assert.deepEqual(lines, RAN);
  });

  test('CORE-14 a minified bundle covers the lines of its sources that ran', async () => {
    const outfile = join(root, 'dist/greet.js');
    const options = { bundle: true, minify: true, sourcemap: 'linked', format: 'esm', platform: 'node' } as const;
    await build({ entryPoints: [source], outfile, ...options });
    const recorded = await record(outfile, join(root, 'from-bundle'));

    const lines = await linesCovered(root, recorded);

    assert.deepEqual(lines, RAN);
  });

  test('a folder without recordings covers nothing', async () => {
    const lines = await linesCovered(root, join(root, 'nothing'));

    assert.deepEqual(lines, []);
  });
});

async function record(file: string, folder: string): Promise<string> {
  await promisify(execFile)(process.execPath, [file], { env: { ...process.env, NODE_V8_COVERAGE: folder } });
  return folder;
}

async function linesCovered(root: string, recorded: string): Promise<number[]> {
  const places = await runnablePlaces(root, ['src/greet.ts']);
  const lines: Set<number> = linesThatRan(root, recorded, places).get('src/greet.ts');
  return [...lines].map((line) => line + 1).sort((a, b) => a - b);
}

function script(name: string): string {
  return new URL(`../../scripts/line-coverage/${name}`, import.meta.url).href;
}

// Builds everything that is measured into the folder given as argument. No contender runs TypeScript, whose
// compilation no user pays for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundle } from '../../scripts/bundle/bundle.mjs';
import { root } from '../../scripts/checkout.mjs';
import { constantResults } from './constant-results.ts';

const [, , target] = process.argv;

await Promise.all([
  bundle(join(target, 'thirty-tools'), {
    program: 'bench/support/thirty-tools/program.ts',
    manifest: 'bench/support/thirty-tools/schemas.ts',
  }),
  build({
    absWorkingDir: root,
    entryPoints: ['sdk-stdio', 'sdk-http', 'bare-stdio', 'bare-http', 'relayed-stdio'].map(
      (name) => `bench/support/${name}.ts`,
    ),
    outdir: target,
    outExtension: { '.js': '.mjs' },
    // The peers' own files are bundled, their packages stay as installed.
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  }),
]);
// As in an installed package: without it, Node would detect the module type of each file.
writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module' }));
writeFileSync(join(target, 'constant-results.json'), JSON.stringify(constantResults()));

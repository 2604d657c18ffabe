// Makes everything that is measured, in the folder named on the command line: no contestant runs TypeScript, which would
// cost it time that no user pays.
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
    // The peers' own files are joined, packages stay as they were installed.
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
  }),
]);
// As in an installed package: without it Node would look into each file to learn what kind it is.
writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module' }));
writeFileSync(join(target, 'constant-results.json'), JSON.stringify(constantResults()));

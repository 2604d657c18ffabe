// Builds the servers and relays into the folder given as argument. None of them runs TypeScript, whose compilation no
// user pays for.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../../../scripts/checkout.mjs';

const PROGRAMS = [
  'echo-stdio',
  'direct-http',
  'sdk-relay-stdio',
  'sdk-relay-http',
  'raw-relay-stdio',
  'raw-relay-http',
];
const [, , target] = process.argv;

await build({
  absWorkingDir: root,
  entryPoints: PROGRAMS.map((name) => `bench/support/servers/${name}.ts`),
  outdir: target,
  outExtension: { '.js': '.mjs' },
  // Their own files are bundled, their packages stay as installed.
  bundle: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
});
// As in an installed package: without it, Node would detect the module type of each file.
writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module' }));

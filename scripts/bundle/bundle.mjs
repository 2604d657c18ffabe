import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { root } from '../checkout.mjs';
import { englishOnly, lazyJsonSchemaValidator, namesOfCommonJsPackages, precomputedSchemas } from './plugins.mjs';

/** Bundles a program, the product unless told otherwise, and what it loads beside itself. `manifest` tells the schemas of its tools. */
export function bundle(outdir, { main = 'src/main.ts', manifest = 'scripts/bundle/schema-manifest.ts' } = {}) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return build({
    absWorkingDir: root,
    entryPoints: {
      cli: main,
      'store-worker': 'src/storage/sqlite/worker.ts',
      'json-schema-validator': 'scripts/bundle/json-schema-validator.mjs',
    },
    outdir,
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    sourcemap: 'linked',
    legalComments: 'external',
    external: ['@napi-rs/keyring'],
    define: { __VERSION__: JSON.stringify(version) },
    // CommonJS packages call `require` for Node's own modules.
    banner: {
      js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
    },
    plugins: [
      lazyJsonSchemaValidator(root),
      englishOnly(),
      namesOfCommonJsPackages(),
      precomputedSchemas(join(root, manifest)),
    ],
    metafile: true,
    logLevel: 'warning',
  });
}

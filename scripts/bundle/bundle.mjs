import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { filesBelow, root } from '../checkout.mjs';
import {
  agentmailBeside,
  lateAgentmailBeside,
  lateAgentmailName,
  lateBuiltins,
  lazyJsonSchemaValidator,
  leanSdk,
  leanZod,
  namesOfCommonJsPackages,
  offlineManifestOf,
  precomputedSchemas,
  programBeside,
  telemetryBeside,
} from './plugins.mjs';

/** CommonJS packages call `require` for Node's own modules. */
const REQUIRE = {
  js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);",
};

/**
 * Bundles the product: a small `cli.js` that is the shim and loads the rest only where it must, `program.js`, and what runs
 * apart. `program` may be another module with the same `run`; `manifest` tells the schemas of its tools.
 */
export async function bundle(
  outdir,
  { program = 'src/cli/run.ts', manifest = 'scripts/bundle/schema-manifest.ts' } = {},
) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    minify: true,
    sourcemap: 'linked',
    legalComments: 'external',
    external: ['@napi-rs/keyring'],
    define: { __VERSION__: JSON.stringify(version) },
    metafile: true,
    logLevel: 'warning',
  };
  const small = {
    ...common,
    // An older Node must understand it so far that it can say which one is needed.
    target: 'node18',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  };
  const beside = () => [
    programBeside(),
    lateBuiltins(),
    offlineManifestOf(join(root, 'scripts/bundle/offline-manifest.ts')),
  ];
  const built = await Promise.all([
    build({ ...small, entryPoints: { cli: 'src/main.ts' }, plugins: [agentmailBeside(), ...beside()] }),
    build({
      ...small,
      entryPoints: { agentmail: 'src/agentmail-main.ts', 'agentmail-program': 'src/agentmail-program.ts' },
      plugins: [lateAgentmailBeside(), ...beside()],
    }),
    build({ ...small, entryPoints: lateAgentmail(), plugins: beside() }),
    // One file: Node takes longer to find thirty modules than to skip over what is not needed in one.
    build({
      ...common,
      entryPoints: { program },
      banner: REQUIRE,
      plugins: [
        telemetryBeside(),
        lateBuiltins(),
        lazyJsonSchemaValidator(root),
        precomputedSchemas(join(root, manifest)),
        leanSdk(),
        leanZod(),
        namesOfCommonJsPackages(),
      ],
    }),
    build({
      ...common,
      entryPoints: {
        'store-worker': 'src/storage/sqlite/worker.ts',
        'json-schema-validator': 'scripts/bundle/json-schema-validator.mjs',
        telemetry: 'src/telemetry/otlp.ts',
      },
      banner: REQUIRE,
    }),
  ]);
  return { metafile: merged(built.map(({ metafile }) => metafile)) };
}

function lateAgentmail() {
  const commands = filesBelow('src/agentmail/command').filter((path) => path.endsWith('-run.ts'));
  const late = ['src/agentmail-mcp.ts', ...commands];
  return Object.fromEntries(late.map((path) => [lateAgentmailName(path), path]));
}

function merged(metafiles) {
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
}

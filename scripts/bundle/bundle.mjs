import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { filesBelow, root } from '../checkout.mjs';
import {
  beside,
  connectorName,
  connectorsBeside,
  lateAgentmailBeside,
  lateAgentmailName,
  lateBuiltins,
  lazyJsonSchemaValidator,
  leanZod,
  namesOfCommonJsPackages,
  offlineManifestOf,
  precomputedSchemas,
} from './plugins.mjs';
import { programEntry, sharedWithProgram } from './shared-modules.mjs';

/** CommonJS packages call `require` for Node's own modules. */
const REQUIRE = {
  js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);",
};

/** The same where only Node's own modules are needed; an import statement would cost each start a millisecond. */
const REQUIRE_BUILTINS = {
  js: "const require=process.getBuiltinModule??(await import('node:module')).createRequire(import.meta.url);",
};

/**
 * Bundles the product: a small `cli.js` that is the shim and loads the rest only where it must, `remote.js` and `program.js`,
 * and what runs apart. `program` may be another module with the same `run`; `manifest` tells the schemas of its tools.
 */
export async function bundle(
  outdir,
  { program = 'src/cli/run.ts', manifest = 'scripts/bundle/schema-manifest.ts' } = {},
) {
  // An older Node loads this module too, to find out that it is too old.
  const { lateOperations } = await import('./late-operations.ts');
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
  const apart = () => [
    beside(/\/cli\/run\.ts$/, 'program.js'),
    beside(/\/shim\/remote\.ts$/, 'remote.js'),
    lateBuiltins(),
  ];
  const connectors = await build({
    ...common,
    entryPoints: connectorEntries(),
    banner: REQUIRE,
    plugins: [sharedWithProgram(root), leanZod()],
  });
  const built = await Promise.all([
    build({
      ...small,
      banner: REQUIRE_BUILTINS,
      entryPoints: { cli: 'src/main.ts' },
      plugins: [beside(/\/agentmail-program\.ts$/, 'agentmail-program.js'), ...apart()],
    }),
    build({
      ...small,
      entryPoints: { agentmail: 'src/agentmail-main.ts', 'agentmail-program': 'src/agentmail-program.ts' },
      plugins: [lateAgentmailBeside(), ...apart()],
    }),
    build({
      ...common,
      entryPoints: { remote: 'src/shim/remote.ts' },
      banner: REQUIRE,
      plugins: [lateBuiltins(), offlineManifestOf(join(root, 'scripts/bundle/offline-manifest.ts'))],
    }),
    build({ ...small, entryPoints: lateAgentmail(), plugins: apart() }),
    // One file: Node takes longer to find thirty modules than to skip over what is not needed in one.
    build({
      ...common,
      entryPoints: { program: 'program-entry' },
      banner: REQUIRE,
      plugins: [
        programEntry(program, filesOf(connectors)),
        beside(/\/otlp\.ts$/, 'telemetry.js'),
        connectorsBeside(),
        lateBuiltins(),
        lazyJsonSchemaValidator(root),
        precomputedSchemas(join(root, manifest)),
        lateOperations(),
        leanZod(),
        namesOfCommonJsPackages(),
      ],
    }),
    build({
      ...common,
      entryPoints: {
        'store-worker': 'src/storage/sqlite/worker.ts',
        'background-worker': 'src/storage/sqlite/background-worker.ts',
        'import-worker': 'src/compose/import-worker.ts',
        'json-schema-validator': 'scripts/bundle/json-schema-validator.mjs',
        telemetry: 'src/telemetry/otlp.ts',
      },
      banner: REQUIRE,
    }),
  ]);
  return { metafile: merged([connectors, ...built].map(({ metafile }) => metafile)) };
}

function lateAgentmail() {
  const commands = filesBelow('src/agentmail/command').filter((path) => path.endsWith('-run.ts'));
  const late = ['src/agentmail-mcp.ts', ...commands];
  return Object.fromEntries(late.map((path) => [lateAgentmailName(path), path]));
}

function connectorEntries() {
  const paths = filesBelow('src/connectors').filter((path) => /^src\/connectors\/[a-z]+\/connection\.ts$/.test(path));
  return Object.fromEntries(paths.map((path) => [connectorName(path), path]));
}

function filesOf({ metafile }) {
  const paths = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  return paths.map((path) => join(root, path));
}

function merged(metafiles) {
  return {
    inputs: Object.assign({}, ...metafiles.map(({ inputs }) => inputs)),
    outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)),
  };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { filesBelow, root } from '../checkout.mjs';
import {
  agentmailFileName,
  connectorFileName,
  embeddedWasm,
  lazyBuiltins,
  lazyJsonSchemaValidator,
  namesOfCommonJsPackages,
  offlineManifestOf,
  precomputedSchemas,
  preparedSources,
  separateAgentmailCommands,
  separateConnectors,
  separateFile,
} from './plugins.mjs';
import { programEntry, sharedWithProgram } from './shared-modules.mjs';

/** CommonJS packages call `require` for Node's built-in modules. */
const REQUIRE = {
  js: "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);",
};

/** The same for files that need only built-in modules; an import statement would cost each start a millisecond. */
const REQUIRE_BUILTINS = {
  js: "const require=process.getBuiltinModule??(await import('node:module')).createRequire(import.meta.url);",
};

/** It has a contract of its own, and is loaded as a whole. */
const MAIL_CONNECTOR = /\/connectors\/imap\/index\.ts$/;

/** Parts of the capability for other servers that are loaded with the first server, or with a search in registries. */
const SERVER_RUNTIME = /\/supervisor\/machinery\.ts$/;
const SERVER_REGISTRIES = /\/registries\/open-registries\.ts$/;

/** The client of the Claude API, which is loaded with the first request. */
const CLAUDE_API = /\/api\/client\.ts$/;

/**
 * Bundles the product: `cli.js`, which is the shim and loads everything else on demand, `remote.js`, `program.js`,
 * connectors and workers. `program` may be another module with the same `run`; `manifest` provides the schemas of its
 * tools.
 */
export async function bundle(
  outdir,
  { program = 'src/cli/run.ts', manifest = 'scripts/bundle/schema-manifest.ts' } = {},
) {
  // An older Node imports this module, too, before it is replaced by a newer one.
  const { lazyOperations } = await import('./lazy-operations.ts');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const common = {
    absWorkingDir: root,
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    // What it gives Node calls `require` in a way that cannot be bundled.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
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
    // An older Node must be able to parse it, to print which version is needed.
    target: 'node18',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  };
  const apart = () => [
    separateFile(/\/cli\/run\.ts$/, 'program.js'),
    separateFile(/\/shim\/remote\.ts$/, 'remote.js'),
    lazyBuiltins(),
  ];
  const connectors = await build({
    ...common,
    entryPoints: {
      ...connectorEntries(),
      'servers-runtime': 'src/servers/supervisor/machinery.ts',
      'servers-registries': 'src/servers/registries/open-registries.ts',
      'claude-api': 'src/claude/api/client.ts',
    },
    banner: REQUIRE,
    plugins: [sharedWithProgram(root), lazyBuiltins(), embeddedWasm(), preparedSources()],
  });
  const built = await Promise.all([
    build({
      ...small,
      banner: REQUIRE_BUILTINS,
      entryPoints: { cli: 'src/main.ts' },
      plugins: [separateFile(/\/agentmail-program\.ts$/, 'agentmail-program.js'), ...apart()],
    }),
    build({
      ...small,
      banner: REQUIRE_BUILTINS,
      entryPoints: { agentmail: 'src/agentmail-main.ts', 'agentmail-program': 'src/agentmail-program.ts' },
      plugins: [separateAgentmailCommands(), ...apart()],
    }),
    build({
      ...common,
      entryPoints: { remote: 'src/shim/remote.ts' },
      banner: REQUIRE,
      plugins: [lazyBuiltins(), offlineManifestOf(join(root, 'scripts/bundle/offline-manifest.ts'))],
    }),
    build({ ...small, entryPoints: agentmailEntries(), plugins: apart() }),
    // One file: Node takes longer to load thirty modules than to skip unused code in one.
    build({
      ...common,
      entryPoints: { program: 'program-entry' },
      banner: REQUIRE,
      plugins: [
        programEntry(program, filesOf(connectors)),
        separateFile(/\/otlp\.ts$/, 'telemetry.js'),
        separateConnectors(),
        separateFile(MAIL_CONNECTOR, 'connector-imap.js'),
        separateFile(SERVER_RUNTIME, 'servers-runtime.js'),
        separateFile(SERVER_REGISTRIES, 'servers-registries.js'),
        separateFile(CLAUDE_API, 'claude-api.js'),
        separateFile(/\/markdown-renderer\.ts$/, 'markdown.js'),
        lazyBuiltins(),
        lazyJsonSchemaValidator(root),
        precomputedSchemas(join(root, manifest)),
        lazyOperations(),
        preparedSources(),
        namesOfCommonJsPackages(),
      ],
    }),
    build({
      ...common,
      entryPoints: {
        'store-worker': 'src/storage/sqlite/worker.ts',
        'background-worker': 'src/storage/sqlite/background-worker.ts',
        'import-worker': 'src/compose/import-worker.ts',
        'import-store-worker': 'src/compose/import-store-worker.ts',
        'mail-sync-worker': 'src/compose/mail-sync-worker.ts',
        'mail-fetch-worker': 'src/compose/mail-fetch-worker.ts',
        'json-schema-validator': 'scripts/bundle/json-schema-validator.mjs',
        telemetry: 'src/telemetry/otlp.ts',
        markdown: 'src/email/compose/markdown-renderer.ts',
      },
      banner: REQUIRE,
    }),
  ]);
  return { metafile: merged([connectors, ...built].map(({ metafile }) => metafile)) };
}

function agentmailEntries() {
  const commands = filesBelow('src/agentmail/command').filter((path) => path.endsWith('-run.ts'));
  const late = ['src/agentmail-mcp.ts', ...commands];
  return Object.fromEntries(late.map((path) => [agentmailFileName(path), path]));
}

function connectorEntries() {
  const isEntry = (path) => /^src\/connectors\/[a-z]+\/connection\.ts$/.test(path) || MAIL_CONNECTOR.test(path);
  const paths = filesBelow('src/connectors').filter(isEntry);
  return Object.fromEntries(paths.map((path) => [connectorFileName(path), path]));
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

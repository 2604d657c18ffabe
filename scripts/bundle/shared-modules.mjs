import { readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';

const PROGRAM = './program.js';
const namespace = 'shared-modules';

/**
 * For files that are loaded late, such as those of connectors: they import zod, and our modules outside their own folder, from
 * the program's file. So no code is loaded twice, and a class is the same in both files.
 */
export function sharedWithProgram(root) {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^(zod|\.\.\/.*\.ts)$/ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
        if (kind !== 'import-statement' || pluginData === namespace) return undefined;
        const resolved = await build.resolve(path, { kind, resolveDir, pluginData: namespace });
        const file = resolved.path;
        if (path === 'zod') return { path, namespace, pluginData: { file } };
        const isOwn = !relative(ownFolder(root, importer), file).startsWith('..');
        return isOwn ? resolved : { path: `./${relative(root, file)}`, namespace, pluginData: { file } };
      });
      build.onResolve({ filter: /^\.\/program\.js$/ }, () => ({
        path: PROGRAM,
        external: true,
        sideEffects: false,
      }));
      build.onLoad({ filter: /.*/, namespace }, async ({ path, pluginData: { file } }) => {
        const names = Object.keys(await import(pathToFileURL(file).href)).filter((name) => name !== 'default');
        // One statement per name, since esbuild drops only whole statements.
        const exports = names.map((name) => `export { "${sharedName(path, name)}" as ${name} } from '${PROGRAM}';`);
        return { contents: exports.join('\n'), resolveDir: root };
      });
    },
  };
}

/** The folder that a module belongs to: that of a connector, or of a capability. */
function ownFolder(root, module) {
  const [room = '', kind = ''] = relative(join(root, 'src'), module).split(sep);
  return room === 'connectors' ? join(root, 'src', room, kind) : join(root, 'src', room);
}

/** The program's name for an export of a shared module: `./src/lib/lines.ts splitLines`. */
function sharedName(path, name) {
  return `${path} ${name}`;
}

/** The program's entry point: what `module` exports, and what the files of connectors import from it. */
export function programEntry(module, connectorFiles) {
  const imported = connectorFiles.flatMap((file) => importsFromProgram(readFileSync(file, 'utf8')));
  const shared = [...new Set(imported)].map((name) => {
    const [path, exported] = name.split(' ');
    return `export { ${exported} as ${JSON.stringify(name)} } from '${path}';`;
  });
  return {
    name: 'program-entry',
    setup(build) {
      build.onResolve({ filter: /^program-entry$/ }, ({ path }) => ({ path, namespace: 'program-entry' }));
      build.onLoad({ filter: /.*/, namespace: 'program-entry' }, () => ({
        contents: [`export * from './${module}';`, ...shared].join('\n'),
        resolveDir: build.initialOptions.absWorkingDir,
      }));
    },
  };
}

function importsFromProgram(code) {
  const lists = [...code.matchAll(/\bimport\s*\{([^}]*)\}\s*from\s*"\.\/program\.js"/g)].map(([, list]) => list);
  return lists.flatMap((list) => [...list.matchAll(/"([^"]+)"\s*as\b/g)].map(([, name]) => name));
}

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What a module loads late is not part of its bundle but a file beside it, which nobody else reads. */
export function beside(module, file) {
  return {
    name: `${file}-beside`,
    setup(build) {
      build.onResolve({ filter: module }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${file}`, external: true },
      );
    },
  };
}

/** Commands that agents call all the time should not read what serves MCP or runs a mailman. */
export function lateAgentmailBeside() {
  return {
    name: 'late-agentmail-beside',
    setup(build) {
      build.onResolve({ filter: /\/(agentmail-mcp|[a-z]+-run)\.ts$/ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path: `./${lateAgentmailName(path)}.js`, external: true } : undefined,
      );
    },
  };
}

/** What such a file is called in the build: `agentmail-mailman` for `mailman-run.ts`. */
export function lateAgentmailName(path) {
  return `agentmail-${/([a-z]+)(-run)?\.ts$/.exec(path)?.[1]}`;
}

/** A network's library is read only where a source of that network is connected. */
export function connectorsBeside() {
  return {
    name: 'connectors-beside',
    setup(build) {
      build.onResolve({ filter: /^\.\/connection\.ts$/ }, ({ kind, importer }) =>
        kind === 'dynamic-import' && /\/connectors\/[a-z]+\/index\.ts$/.test(importer)
          ? { path: `./${connectorName(importer)}.js`, external: true }
          : undefined,
      );
    },
  };
}

/** What a connector's file is called in the build: `connector-irc` for what is in `connectors/irc/`. */
export function connectorName(path) {
  return `connector-${/([a-z]+)\/(?:index|connection)\.ts$/.exec(path)?.[1]}`;
}

/** Node's own modules are loaded at their first use. An import statement would load at once what is needed later or never. */
export function lateBuiltins() {
  const namespace = 'late-builtins';
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^node:/ }, async ({ path, kind, importer }) => {
        if (kind !== 'import-statement' && kind !== 'dynamic-import') return undefined;
        const names = kind === 'import-statement' ? importedNames(await readFile(importer, 'utf8'), path) : undefined;
        return { path: names ? `${path} ${names.join()}` : path, namespace, pluginData: { path, names } };
      });
      build.onLoad({ filter: /.*/, namespace }, ({ pluginData: { path, names } }) => {
        const builtin = process.getBuiltinModule(path);
        // One that is a function itself, such as `node:events`, may be called under its own name.
        if (!names && typeof builtin === 'function') {
          return { contents: `module.exports = require('${path}');` };
        }
        return {
          contents: `
            let loaded;
            const load = () => (loaded ??= require('${path}'));
            for (const name of ${JSON.stringify(names ?? Object.keys(builtin))}) {
              Object.defineProperty(exports, name, { enumerable: true, get: () => load()[name] });
            }`,
        };
      });
    },
  };
}

/** What a module imports from another by name; undefined when it takes the whole. */
function importedNames(code, from) {
  const imports = [...code.matchAll(/^import\s+(?!type\b)([^;]*?)\s+from\s+['"]([^'"]+)['"]/gm)].filter(
    ([, , module]) => module === from,
  );
  if (imports.some(([, clause]) => !/^\{[^}]*\}$/.test(clause))) return undefined;
  const names = imports.flatMap(([, clause]) => clause.slice(1, -1).split(','));
  return names.map((name) => name.trim().split(/\s+as\s+/)[0]).filter((name) => name && !name.startsWith('type '));
}

/** Keeps AJV out of every start: see sdk-shims.mjs. */
export function lazyJsonSchemaValidator(root) {
  return {
    name: 'lazy-json-schema-validator',
    setup(build) {
      build.onResolve({ filter: /^@modelcontextprotocol\/(server|client)\/_shims$/ }, () => ({
        path: join(root, 'scripts/bundle/sdk-shims.mjs'),
        sideEffects: false,
      }));
    },
  };
}

/** Only as much of zod as is used, without the translations of its messages, which are never shown. */
export function leanZod() {
  return {
    name: 'lean-zod',
    setup(build) {
      const onLoad = (filter, change) =>
        build.onLoad({ filter }, async ({ path }) => ({
          contents: change(await readFile(path, 'utf8')),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        }));
      onLoad(/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, () => "export { default as en } from './en.js';");
      // Our sources; packages have none in TypeScript. The object `z` would hold all of it.
      onLoad(/\.ts$/, (code) => code.replace("import { z } from 'zod';", "import * as z from 'zod';"));
    },
  };
}

/**
 * Fills `src/mcp/schemas.ts`, an empty record in the source, with the JSON Schemas of all operations, so that no start spends
 * time on making them.
 */
export function precomputedSchemas(manifest) {
  return filledConstant('precomputed-schemas', /[\\/]src[\\/]mcp[\\/]schemas\.ts$/, async () => {
    const { schemaManifest } = await import(pathToFileURL(manifest).href);
    return schemaManifest();
  });
}

/** Fills `src/shim/manifest.ts`, so that a shim that reaches nobody can say what there would be. */
export function offlineManifestOf(manifest) {
  return filledConstant('offline-manifest', /[\\/]src[\\/]shim[\\/]manifest\.ts$/, async () => {
    const { offlineManifest } = await import(pathToFileURL(manifest).href);
    return offlineManifest();
  });
}

/** Gives the constant that a module exports the value that is made here. */
function filledConstant(name, filter, make) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        const constant = /^export const (\w+)/m.exec(await readFile(path, 'utf8'))?.[1];
        if (constant === undefined) return { errors: [{ text: `${path} exports no constant to fill` }] };
        const json = JSON.stringify(await make());
        // Parsing a string is faster than evaluating the same as an object literal.
        return { contents: `export const ${constant} = JSON.parse(${JSON.stringify(json)});`, loader: 'js' };
      });
    },
  };
}

/**
 * `await import('pino')` of a CommonJS package has the same names in the bundle as in Node; esbuild alone would give only
 * `default`, so that what works from source fails when built.
 */
export function namesOfCommonJsPackages() {
  const namespace = 'commonjs-names';
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^[^./#]/ }, async ({ path, kind, resolveDir, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === namespace || path.startsWith('node:')) return undefined;
        const resolved = await build.resolve(path, { kind, resolveDir, pluginData: namespace });
        if (resolved.external || !isCommonJs(resolved.path)) return resolved;
        return { path, namespace, pluginData: { resolveDir, file: resolved.path } };
      });
      build.onLoad({ filter: /.*/, namespace }, async ({ pluginData: { resolveDir, file } }) => {
        const names = Object.keys(await import(pathToFileURL(file).href)).filter((name) => name !== 'module.exports');
        return { contents: `export { ${names.join(', ')} } from ${JSON.stringify(file)};`, resolveDir };
      });
    },
  };
}

function isCommonJs(file) {
  if (!file.endsWith('.js')) return file.endsWith('.cjs');
  let folder = dirname(file);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type !== 'module';
}

import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Puts a module that is imported on demand into a separate file. */
export function separateFile(module, file) {
  return {
    name: `separate-${file}`,
    setup(build) {
      build.onResolve({ filter: module }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${file}`, external: true },
      );
    },
  };
}

/** Agents run some commands frequently, which should not load the MCP server or the mailman. */
export function separateAgentmailCommands() {
  return {
    name: 'separate-agentmail-commands',
    setup(build) {
      build.onResolve({ filter: /\/(agentmail-mcp|[a-z]+-run)\.ts$/ }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path: `./${agentmailFileName(path)}.js`, external: true } : undefined,
      );
    },
  };
}

/** The name of such a file: `agentmail-mailman` for `mailman-run.ts`. */
export function agentmailFileName(path) {
  return `agentmail-${/([a-z]+)(-run)?\.ts$/.exec(path)?.[1]}`;
}

/** A network's library is loaded only if a source of that network is connected. */
export function separateConnectors() {
  return {
    name: 'separate-connectors',
    setup(build) {
      build.onResolve({ filter: /^\.\/connection\.ts$/ }, ({ kind, importer }) =>
        kind === 'dynamic-import' && /\/connectors\/[a-z]+\/index\.ts$/.test(importer)
          ? { path: `./${connectorFileName(importer)}.js`, external: true }
          : undefined,
      );
    },
  };
}

/** The name of a connector's file: `connector-irc` for `connectors/irc/`. */
export function connectorFileName(path) {
  return `connector-${/([a-z]+)\/(?:index|connection)\.ts$/.exec(path)?.[1]}`;
}

/** Loads Node's built-in modules on first use. An import statement would load them at the start. */
export function lazyBuiltins() {
  const namespace = 'lazy-builtins';
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
        // A module that is a function itself, such as `node:events`, may be called.
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

/** The names that a module imports from another; undefined for a default or namespace import. */
function importedNames(code, from) {
  const imports = [...code.matchAll(/^import\s+(?!type\b)([^;]*?)\s+from\s+['"]([^'"]+)['"]/gm)].filter(
    ([, , module]) => module === from,
  );
  if (imports.some(([, clause]) => !/^\{[^}]*\}$/.test(clause))) return undefined;
  const names = imports.flatMap(([, clause]) => clause.slice(1, -1).split(','));
  return names.map((name) => name.trim().split(/\s+as\s+/)[0]).filter((name) => name && !name.startsWith('type '));
}

/** Loads AJV on first use: see sdk-shims.mjs. */
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

/** Bundles only the used parts of zod, one language of its messages, and our sources as ASCII. */
export function preparedSources() {
  return {
    name: 'prepared-sources',
    setup(build) {
      const onLoad = (filter, change) =>
        build.onLoad({ filter }, async ({ path }) => ({
          contents: change(await readFile(path, 'utf8')),
          loader: path.endsWith('.ts') ? 'ts' : 'js',
        }));
      onLoad(/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, () => "export { default as en } from './en.js';");
      // Only our sources are TypeScript. The object `z` would keep all of zod.
      onLoad(/\.ts$/, (code) => ascii(code.replace("import { z } from 'zod';", "import * as z from 'zod';")));
    },
  };
}

/**
 * V8 holds a source with any other character in twice the memory. esbuild leaves those in regular expressions; in a raw
 * string an escape would mean something else.
 */
function ascii(code) {
  if (/\bString\.raw`/.test(code)) return code;
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * Inserts the JSON Schemas of all operations into `src/mcp/schemas.ts`, which has an empty record in the source, so
 * that they are not computed at each start.
 */
export function precomputedSchemas(manifest) {
  return filledConstant('precomputed-schemas', /[\\/]src[\\/]mcp[\\/]schemas\.ts$/, async () => {
    const { schemaManifest } = await import(pathToFileURL(manifest).href);
    return schemaManifest();
  });
}

/** Fills `src/shim/manifest.ts`, which a shim answers from while it cannot reach a server. */
export function offlineManifestOf(manifest) {
  return filledConstant('offline-manifest', /[\\/]src[\\/]shim[\\/]manifest\.ts$/, async () => {
    const { offlineManifest } = await import(pathToFileURL(manifest).href);
    return offlineManifest();
  });
}

/** Puts the WebAssembly of Telegram's library into the code that loads it, which is a file of its own. */
export function embeddedWasm() {
  return {
    name: 'embedded-wasm',
    setup(build) {
      build.onLoad({ filter: /[\\/]telegram[\\/]wasm-module\.ts$/ }, async ({ path }) => {
        const file = createRequire(path).resolve('@mtcute/wasm/mtcute-simd.wasm');
        const code = JSON.stringify((await readFile(file)).toString('base64'));
        return { contents: `export const wasmModule = async () => Buffer.from(${code}, 'base64');`, loader: 'js' };
      });
    },
  };
}

/** Replaces the value of the constant that a module exports. */
function filledConstant(name, filter, make) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        const constant = /^export const (\w+)/m.exec(await readFile(path, 'utf8'))?.[1];
        if (constant === undefined) return { errors: [{ text: `${path} exports no constant to fill` }] };
        const json = JSON.stringify(await make());
        // Parsing a string is faster than evaluating an object literal.
        return { contents: `export const ${constant} = JSON.parse(${JSON.stringify(json)});`, loader: 'js' };
      });
    },
  };
}

/**
 * Gives `await import('pino')` of a CommonJS package the same named exports as in Node. esbuild alone provides only
 * `default`, so that code that works from source would fail when built.
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

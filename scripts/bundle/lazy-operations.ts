import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

type Values = Record<string, unknown>;
/** Keys that lead to a value within an operation. */
type Place = readonly string[];

const namespace = 'lazy-operations';

/**
 * A capability lists its operations, and a start runs hardly any of them. In the build the list contains stubs: names
 * and descriptions are literals, and the module with the schemas and the code is evaluated when one of those is first
 * read.
 */
export function lazyOperations(): Plugin {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^\.\/.*\.ts$/ }, async ({ path, kind, importer, resolveDir }) => {
        if (kind !== 'import-statement' || !isCapabilityFile(importer)) return undefined;
        const file = join(resolveDir, path);
        const exported: [string, unknown][] = Object.entries(await import(pathToFileURL(file).href));
        const [other] = exported.filter(([, value]) => !isOffered(value));
        if (!other) return { path: file, namespace, pluginData: exported, sideEffects: false };
        if (!path.startsWith('./operations/')) return undefined;
        return { errors: [{ text: `${path} may export nothing but operations, not ${other[0]}` }] };
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => {
        const declarations = (pluginData as [string, Values][]).map(([name, value]) => declaration(path, name, value));
        return { contents: [lazyStub, ...declarations].join('\n'), resolveDir: '/' };
      });
    },
  };
}

/** The files in which a capability lists what it offers: its definition, and `offer.ts` where that is long. */
function isCapabilityFile(path: string): boolean {
  return /\/(capability|offer)\.ts$/.test(path) && existsSync(join(dirname(path), 'capability.ts'));
}

/** Operations, resource templates and prompts. */
function isOffered(value: unknown): boolean {
  if (!isObject(value) || typeof value.description !== 'string') return false;
  return ['run', 'read', 'get'].some((key) => value[key] !== undefined);
}

function declaration(file: string, name: string, value: Values): string {
  const late: Place[] = [];
  const stub = JSON.stringify(plainPart(value, [], late));
  const load = `() => require(${JSON.stringify(file)}).${name}`;
  return `export const ${name} = lazyStub(${stub}, ${JSON.stringify(late)}, ${load});`;
}

/** The part of a value that is plain JSON; the paths of the rest are added to `late`. */
function plainPart(value: Values, place: Place, late: Place[]): Values {
  const part: Values = {};
  for (const [key, inner] of Object.entries(value)) {
    const here = [...place, key];
    if (!isPlain(inner)) late.push(here);
    else part[key] = isObject(inner) && !Array.isArray(inner) ? plainPart(inner, here, late) : inner;
  }
  return part;
}

/** Arrays are plain as a whole or not at all. */
function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlainThroughout);
  return isObject(value) ? Object.getPrototypeOf(value) === Object.prototype : typeof value !== 'function';
}

function isPlainThroughout(value: unknown): boolean {
  return isPlain(value) && (!isObject(value) || Object.values(value).every(isPlainThroughout));
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null;
}

/** Source text that is inserted into the bundle. */
const lazyStub = `
function lazyStub(stub, places, load) {
  const at = (whole, place) => place.reduce((part, key) => part[key], whole);
  for (const place of places) {
    const [parent, key] = [at(stub, place.slice(0, -1)), place.at(-1)];
    const get = () => {
      const value = at(load(), place);
      Object.defineProperty(parent, key, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(parent, key, { get, enumerable: true, configurable: true });
  }
  return stub;
}`;

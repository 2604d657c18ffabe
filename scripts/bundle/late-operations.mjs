import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const namespace = 'late-operations';

/**
 * A capability lists what it offers, and a start runs hardly any of it. In the build its list holds cards: the names and
 * descriptions as they are, while the module with the schemas and the code is evaluated when one of those is first asked for.
 */
export function lateOperations() {
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^\.\/.*\.ts$/ }, async ({ path, kind, importer, resolveDir }) => {
        if (kind !== 'import-statement' || !importer.endsWith('/capability.ts')) return undefined;
        const file = join(resolveDir, path);
        const exported = Object.entries(await import(pathToFileURL(file).href));
        const others = exported.filter(([, value]) => !isOffered(value));
        if (others.length === 0) return { path: file, namespace, pluginData: exported, sideEffects: false };
        if (!path.startsWith('./operations/')) return undefined;
        return { errors: [{ text: `${path} may export nothing but operations, not ${others[0][0]}` }] };
      });
      build.onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
        contents: [lateCard.toString(), ...pluginData.map(([name, value]) => declaration(path, name, value))].join(
          '\n',
        ),
        resolveDir: '/',
      }));
    },
  };
}

/** Operations, templates of resources and prompts. */
function isOffered(value) {
  return typeof value?.description === 'string' && ['run', 'read', 'get'].some((key) => value[key] !== undefined);
}

function declaration(file, name, value) {
  const late = [];
  const card = JSON.stringify(plainPart(value, [], late));
  const load = `() => require(${JSON.stringify(file)}).${name}`;
  return `export const ${name} = lateCard(${card}, ${JSON.stringify(late)}, ${load});`;
}

/** What of a value can be written down; the places of the rest are added to `late`. */
function plainPart(value, place, late) {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value;
  const part = {};
  for (const [key, inner] of Object.entries(value)) {
    if (isPlain(inner)) part[key] = plainPart(inner, [...place, key], late);
    else late.push([...place, key]);
  }
  return part;
}

/** Lists are written down as a whole or not at all. */
function isPlain(value) {
  if (Array.isArray(value)) return value.every(isPlainThroughout);
  if (value === null || typeof value !== 'object') return typeof value !== 'function';
  return Object.getPrototypeOf(value) === Object.prototype;
}

function isPlainThroughout(value) {
  return isPlain(value) && (typeof value !== 'object' || Object.values(value ?? {}).every(isPlainThroughout));
}

/** Goes into the build as it stands. */
function lateCard(card, places, load) {
  const at = (whole, place) => place.reduce((part, key) => part[key], whole);
  for (const place of places) {
    const get = () => at(load(), place);
    Object.defineProperty(at(card, place.slice(0, -1)), place.at(-1), { get, enumerable: true });
  }
  return card;
}

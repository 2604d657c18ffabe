import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transform } from 'esbuild';
import { segmentsOf } from './source-map.mjs';

const CLOSING = /^[\s)}\];,]*$/;

/**
 * The executable positions of source files, as `{ line, column, offset }`. Types, comments and imports have none, as they are
 * not part of the compiled program; closing brackets are not counted.
 */
export async function runnablePlaces(root, files) {
  const places = await Promise.all(
    files.map(async (file) => {
      const text = readFileSync(join(root, file), 'utf8');
      // Minified as in the build, so that the same positions remain.
      const { map } = await transform(withoutImports(text), { loader: 'ts', minify: true, sourcemap: 'external' });
      const lines = text.split('\n');
      const starts = lineStarts(lines.map(({ length }) => length));
      const segments = segmentsOf(JSON.parse(map).mappings).filter(({ line }) => !CLOSING.test(lines[line]));
      return [file, segments.map(({ line, column }) => ({ line, column, offset: starts[line] + column }))];
    }),
  );
  return new Map(places);
}

/** Offset of the first character of each line. */
export function lineStarts(lengths) {
  let offset = 0;
  return lengths.map((length) => {
    const start = offset;
    offset += length + 1;
    return start;
  });
}

function withoutImports(text) {
  const declarations = /^(?:import\s*|(?:import|export)\s[^;'"()]*?\bfrom\s*)['"][^'"]+['"];?/gm;
  return text.replace(declarations, (declaration) => declaration.replace(/[^\n]/g, ' '));
}

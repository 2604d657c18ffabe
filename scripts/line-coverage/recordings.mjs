import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { segmentsOf } from './source-map.mjs';
import { lineStarts } from './sources.mjs';

/**
 * Which lines ran, from the V8 recordings in a folder: of sources that ran unbundled, and of sources in a bundle, through its
 * source map. `places` are the positions that count; the result has a set of lines for each file.
 */
export function linesThatRan(root, folder, places) {
  const ran = new Map([...places.keys()].map((file) => [file, new Set()]));
  const prefix = `${pathToFileURL(root).href}/`;
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const { result, 'source-map-cache': maps = {} } = recordingIn(join(folder, name));
    for (const script of result.filter(({ url }) => url.startsWith(prefix))) {
      const file = script.url.slice(prefix.length);
      if (places.has(file)) addSource(script, places.get(file), ran.get(file));
      else if (maps[script.url]?.data) addBundle(script, maps[script.url], ran, prefix);
    }
  }
  for (const [file, lines] of ran) {
    const runnable = new Set(places.get(file).map(({ line }) => line));
    for (const line of lines) if (!runnable.has(line)) lines.delete(line);
  }
  return ran;
}

/** A program that was killed while it wrote has left an incomplete recording, which is ignored. */
function recordingIn(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return { result: [] };
    throw error;
  }
}

function addSource(script, places, lines) {
  const countAt = counter(script);
  for (const { line, offset } of places) if (countAt(offset) > 0) lines.add(line);
}

function addBundle(script, { data, lineLengths }, ran, prefix) {
  const files = data.sources.map((source) => (source.startsWith(prefix) ? source.slice(prefix.length) : ''));
  if (!files.some((file) => ran.has(file))) return;
  const countAt = counter(script);
  const starts = lineStarts(lineLengths);
  for (const { generatedLine, generatedColumn, source, line } of segmentsOf(data.mappings)) {
    const lines = ran.get(files[source]);
    if (lines !== undefined && countAt(starts[generatedLine] + generatedColumn) > 0) lines.add(line);
  }
}

/** How often the code at an offset ran: the count of the innermost range around it. */
function counter({ functions }) {
  const ranges = functions.flatMap((each) => each.ranges);
  ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const edges = edgesOf(ranges);
  return (offset) => {
    let [low, high] = [0, edges.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (edges[middle].offset <= offset) low = middle + 1;
      else high = middle;
    }
    return edges[low - 1]?.count ?? 0;
  };
}

/** Nested ranges as a list of edges, each with the count that applies from there on. */
function edgesOf(ranges) {
  const edges = [];
  const open = [];
  const closeUntil = (offset) => {
    while (open.length > 0 && open.at(-1).endOffset <= offset) {
      const { endOffset } = open.pop();
      edges.push({ offset: endOffset, count: open.at(-1)?.count ?? 0 });
    }
  };
  for (const range of ranges) {
    closeUntil(range.startOffset);
    edges.push({ offset: range.startOffset, count: range.count });
    open.push(range);
  }
  closeUntil(Number.POSITIVE_INFINITY);
  return edges;
}

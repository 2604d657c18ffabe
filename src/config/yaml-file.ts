import { isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { ConfigError, type Problem } from './problems.ts';
import { keyOf, type Path } from './schema-walk.ts';
import { DEEPEST, type Mapping, mapping, type Scalar, type Setting, type SettingOrigin } from './settings-tree.ts';

/** A larger file, or one that expands to more by aliases, is not a configuration. */
const MOST_VALUES = 20_000;
const MOST_ERRORS_TOLD = 3;

/** Our own texts for parser errors; those of the parser would repeat content of the file, including secrets. */
const ERRORS: Record<string, string> = {
  TAB_AS_INDENT: 'a tab cannot indent a line in YAML; use spaces',
  BAD_INDENT: 'the indentation is wrong, or a bracket before it is not closed',
  MISSING_CHAR:
    'something is missing here: a colon, a comma, a space, a closing quote or bracket, or quotes around what has a #',
  BLOCK_AS_IMPLICIT_KEY: 'a key with a value cannot stand here; look at the indentation, or put the text in quotes',
  MULTILINE_IMPLICIT_KEY: 'a key must stand on one line; look for a missing colon',
  BAD_SCALAR_START: 'a text that begins like this must be in quotes',
  BAD_DQ_ESCAPE: 'this backslash means nothing in double quotes; write \\\\ or use single quotes',
  UNEXPECTED_TOKEN: `this cannot stand here; a text with braces, brackets or commas must be in quotes: "\${env:NAME}"`,
  MULTIPLE_DOCS: 'the file must be one document; remove this ---',
  TAG_RESOLVE_FAILED: 'this tag is not known; remove it',
  RESOURCE_EXHAUSTION: 'the values are nested too deeply',
};

/** The content of a configuration file, with the line of every key. Throws a ConfigError when it cannot be read. */
export function parseYaml(text: string, file: string): { root: Mapping; problems: Problem[] } {
  const lines = new LineCounter();
  const at = (offset = 0): SettingOrigin => {
    const { line, col } = lines.linePos(offset);
    return { kind: 'file', file, line: Math.max(1, line), column: Math.max(1, col) };
  };
  // Duplicate keys are detected here, because the parser's own check is quadratic.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const broken = [...document.errors, ...document.warnings];
  if (broken.length > 0) {
    throw new ConfigError(
      broken.slice(0, MOST_ERRORS_TOLD).map(({ code, pos }) => ({
        origin: at(pos[0]),
        text: ERRORS[code] ?? 'this is not valid YAML',
      })),
      broken[0]?.code,
    );
  }
  return readContents(document.contents, at);
}

function readContents(
  contents: unknown,
  at: (offset?: number) => SettingOrigin,
): { root: Mapping; problems: Problem[] } {
  const problems: Problem[] = [];
  const anchors = new Map<string, Setting>();
  let values = 0;

  function read(node: unknown, origin: SettingOrigin, path: Path): Setting {
    count(origin, path);
    if (isAlias(node)) return copy(anchored(node.source, origin), origin, path);
    const setting = readNode(node, origin, path);
    // Set only now, so that no value can contain itself.
    const anchor = anchorOf(node);
    if (anchor !== undefined) anchors.set(anchor, setting);
    return setting;
  }

  function readNode(node: unknown, origin: SettingOrigin, path: Path): Setting {
    if (isMap(node)) return readMap(node, origin, path);
    if (isSeq(node)) {
      const items = node.items.map((item, index) => read(item, at(offsetOf(item)), [...path, index]));
      return { kind: 'list', items, origin };
    }
    return { kind: 'scalar', value: isScalar(node) ? scalar(node.value) : null, untyped: false, origin };
  }

  function readMap(node: YAMLMap, origin: SettingOrigin, path: Path): Mapping {
    const map = mapping(origin);
    for (const pair of node.items) {
      const key = textOf(pair);
      const place = at(offsetOf(pair.key));
      if (key === undefined) {
        problems.push({ origin: place, text: 'a key must be a plain word' });
        continue;
      }
      const before = map.entries.get(key)?.origin;
      if (before?.kind === 'file') {
        const text = `is given twice; it is on line ${before.line} already`;
        problems.push({ key: keyOf([...path, key]), origin: place, text });
      }
      map.entries.set(key, read(pair.value, place, [...path, key]));
    }
    return map;
  }

  function anchored(name: string, origin: SettingOrigin): Setting {
    const setting = anchors.get(name);
    if (setting) return setting;
    throw new ConfigError([{ origin, text: 'this alias names an anchor that does not stand before it' }]);
  }

  /** Each alias is a copy, so that a variable changes only one of them. */
  function copy(setting: Setting, origin: SettingOrigin, path: Path): Setting {
    count(origin, path);
    if (setting.kind === 'list') {
      return { ...setting, items: setting.items.map((item, index) => copy(item, origin, [...path, index])), origin };
    }
    if (setting.kind === 'scalar') return { ...setting, origin };
    const map = mapping(origin);
    for (const [key, child] of setting.entries) map.entries.set(key, copy(child, origin, [...path, key]));
    return map;
  }

  function count(origin: SettingOrigin, path: Path): void {
    values += 1;
    if (values > MOST_VALUES) throw new ConfigError([{ origin, text: `there are more than ${MOST_VALUES} values` }]);
    if (path.length > DEEPEST) throw new ConfigError([{ origin, text: 'the values are nested too deeply' }]);
  }

  const root = read(contents, at(offsetOf(contents)), []);
  if (root.kind === 'mapping') return { root, problems };
  if (root.kind === 'scalar' && root.value === null) return { root: mapping(root.origin), problems };
  throw new ConfigError([
    { origin: root.origin, text: 'the file must be a mapping: keys with values, like "limits:"' },
  ]);
}

function textOf({ key }: Pair): string | undefined {
  if (!isScalar(key) || key.value === null) return undefined;
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value));
}

function scalar(value: unknown): Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function anchorOf(node: unknown): string | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? node.anchor : undefined;
}

function offsetOf(node: unknown): number | undefined {
  const hasRange = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node);
  return hasRange ? node.range?.[0] : undefined;
}

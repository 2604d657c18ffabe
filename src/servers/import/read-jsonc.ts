import { type Node, type ParseError, parseTree } from 'jsonc-parser';
import { AppError } from '../../domain/errors.ts';
import { isRecord } from '../../lib/is-record.ts';

/** JSON as in configuration files: with comments and trailing commas. The file is an object. */
export function readJsonc(text: string, title: string): Record<string, unknown> {
  const value = parsed(text, title);
  if (isRecord(value)) return value;
  throw new AppError('VALIDATION_ERROR', `${title} is not a JSON object.`, { field: 'path' });
}

function parsed(text: string, title: string): unknown {
  const errors: ParseError[] = [];
  try {
    // A byte order mark is no white space for the library.
    const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true });
    if (root && errors.length === 0) return toValue(root);
  } catch (thrown) {
    // Nested deeper than the stack is.
    if (!(thrown instanceof RangeError)) throw thrown;
  }
  const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length;
  throw new AppError('VALIDATION_ERROR', `${title} is not JSON: line ${line}.`, { field: 'path' });
}

/** `__proto__` is a key like any other here. */
function toValue(node: Node): unknown {
  const { type, children = [] } = node;
  if (type === 'array') return children.map(toValue);
  if (type !== 'object') return node.value;
  const members = children.flatMap(({ children: [key, value] = [] }): [string, unknown][] =>
    key && value ? [[String(key.value), toValue(value)]] : [],
  );
  return Object.fromEntries(members);
}

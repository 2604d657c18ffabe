const LONGEST_TEXT = 8192;
const MOST_ENTRIES = 100;
const DEEPEST = 6;
const REDACTED = '[redacted]';

/** Names of fields whose values are secrets; `max_tokens` is not one. */
const SECRET =
  /(?:^|[_-])(?:token|password|passwd|passphrase|secret|authorization|cookie|api[_-]?key|api[_-]?hash|private[_-]?key)$|(?:Token|Password|Secret|ApiKey)$|^set-cookie$|^apikey$/i;

/** pino's own fields: a field of the same name would be in the line twice. */
const TAKEN: ReadonlySet<string> = new Set(['level', 'time', 'service', 'msg']);

interface Cleaning {
  mask: (text: string) => string;
  withStack: boolean;
}

/** The fields of a log call as plain data: bounded, without secrets, and always serializable as JSON. */
export function cleanFields(fields: Record<string, unknown>, options: Cleaning): Record<string, unknown> {
  const cleaned = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [TAKEN.has(key) ? `${key}_` : key, cleanField(key, value, options, 0, [])]);
  return Object.fromEntries(cleaned);
}

function cleanField(
  key: string,
  value: unknown,
  options: Cleaning,
  depth: number,
  parents: readonly object[],
): unknown {
  return SECRET.test(key) ? REDACTED : clean(value, options, depth, parents);
}

function clean(value: unknown, options: Cleaning, depth: number, parents: readonly object[]): unknown {
  if (typeof value === 'string') return shortened(options.mask(value));
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return String(value);
  if (depth > DEEPEST) return '[too deep]';
  if (parents.includes(value)) return '[circular]';
  return cleanObject(value, options, depth, [...parents, value]);
}

function cleanObject(value: object, options: Cleaning, depth: number, parents: readonly object[]): unknown {
  try {
    if (value instanceof Error) return cleanError(value, options, depth, parents);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
    if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
    if (value instanceof Set || value instanceof Map) return clean([...value], options, depth, parents);
    if (Array.isArray(value)) {
      const items = value.slice(0, MOST_ENTRIES).map((item: unknown) => clean(item, options, depth + 1, parents));
      return value.length > MOST_ENTRIES ? [...items, `[${value.length - MOST_ENTRIES} more]`] : items;
    }
    const entries = Object.entries(value).slice(0, MOST_ENTRIES);
    return Object.fromEntries(
      entries.map(([key, inner]) => [
        shortened(options.mask(key)),
        cleanField(key, inner, options, depth + 1, parents),
      ]),
    );
  } catch {
    // A getter or a proxy that throws must not fail the caller.
    return '[unreadable]';
  }
}

/** Stack traces are for debugging only. */
function cleanError(error: Error, options: Cleaning, depth: number, parents: readonly object[]): unknown {
  const { name, message, stack, cause } = error;
  const details = ['code', 'field', 'hint', 'syscall', 'signal'].flatMap((key) => {
    const detail: unknown = Reflect.get(error, key);
    return detail === undefined ? [] : [[key, clean(detail, options, depth + 1, parents)]];
  });
  return {
    type: name,
    message: shortened(options.mask(String(message))),
    ...Object.fromEntries(details),
    ...(cause === undefined ? {} : { cause: clean(cause, options, depth + 1, parents) }),
    ...(options.withStack && typeof stack === 'string' ? { stack: shortened(options.mask(stack)) } : {}),
  };
}

function shortened(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  return `${text.slice(0, LONGEST_TEXT)}… [${text.length - LONGEST_TEXT} more characters]`;
}

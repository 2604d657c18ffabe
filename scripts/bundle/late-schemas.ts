/**
 * The MCP SDK makes some five hundred zod schemas when it is loaded and when a client first speaks, which takes longer than
 * all else at a start; few of them are used. Here each becomes a function that makes it at its first use. It is done to the
 * text, which the SDK's own build prints in one regular form; where it has that form no more, the build fails.
 */

/** What a module that uses the schemas makes of them at once, although only elicitation needs it. */
const MADE_AT_ONCE = ['ROOT_KEYS', 'PROPERTY_KEYS_BY_TYPE', 'SUPPORTED_STRING_FORMATS'];

/** A list of all types, which makes every one of them; nobody here asks for it. */
const LIST_OF_ALL = 'of SPEC_SCHEMA_KEYS)';

/** A record whose values are made when they are read. */
const LATE_RECORD = `
function __lateRecord(makers) {
  const record = {};
  for (const name of Object.keys(makers)) {
    const get = () => {
      const value = makers[name]();
      Object.defineProperty(record, name, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(record, name, { get, enumerable: true, configurable: true });
  }
  return record;
}
`;

/** The module that declares the schemas that both eras of the protocol share. */
export function declareLate(code: string): { names: readonly string[]; code: string } {
  const names = declaredNames(code, '').filter((name) => name.endsWith('Schema'));
  if (names.length < 100) throw new Error('The SDK does not declare its schemas as it did.');
  return { names, code: calling(names, lateConstants(code, '', names)) };
}

/** A module that imports some of them, which have these names, and may build the schemas of an era by itself. */
export function useLate(code: string, declared: readonly string[]): string {
  const late = importedNames(code).filter((name) => declared.includes(name));
  const [first = code, ...pieces] = code.split(/^(function build(?:\$\d+)?\(\) \{\n[\s\S]*?^\})$/m);
  if (pieces.length === 0) return calling(late, code);
  // Builders have names of their own, and stand at the odd places.
  const constants = (text: string) => MADE_AT_ONCE.filter((name) => text.includes(`\nconst ${name} = `));
  const rest = (text: string) => calling([...late, ...MADE_AT_ONCE], lateConstants(text, '', constants(text)));
  const all = [first, ...pieces].map((text, index) => (index % 2 === 0 ? rest(text) : lateBuilder(text)));
  return lateMaps(all.join('').replace(LIST_OF_ALL, 'of [])')) + LATE_RECORD;
}

function importedNames(code: string): string[] {
  const lists = [...code.matchAll(/^import \{ (.*) \} from /gm)].map(([, list = '']) => list.split(', '));
  return lists.flat().map((name) => name.split(' as ').at(-1) ?? name);
}

/** A function that makes all schemas of an era and returns them as a record. */
function lateBuilder(code: string): string {
  const names = declaredNames(code, '\t');
  const [, body = '', entries] = /^([\s\S]*\n)\treturn \{\n([\s\S]*)\n\t\};\n\}$/.exec(code) ?? [];
  if (entries === undefined) throw new Error('The SDK does not build its schemas as it did.');
  const makers = `\n${entries}`.replace(/^\t\t(\w+)(?=,?$)/gm, '\t\t$1: $1').replace(/^(\t\t\w+: )/gm, '$1() => ');
  return calling(names, `${lateConstants(body, '\t', names)}\treturn __lateRecord({${makers}\n\t});\n}`);
}

/** Records that are nothing but a choice of an era's schemas. */
function lateMaps(code: string): string {
  return code.replace(
    /([:=] )\{\n((?:\t+(?:\w+|"[^"]+"): s\.\w+,?\n)+)(\t+)\}/g,
    (_, before: string, entries: string, indent: string) => {
      return `${before}__lateRecord({\n${entries.replaceAll(': s.', ': () => s.')}${indent}})`;
    },
  );
}

function declaredNames(code: string, indent: string): string[] {
  return [...code.matchAll(constants(indent))].map(([, name = '']) => name);
}

/** Statements `const name = …;` at this depth, functions left out. */
function constants(indent: string): RegExp {
  const next = `\\n(?:${indent}[^\\s)}\\]]|\\n|(?![\\s\\S]))`;
  return new RegExp(`^${indent}const ([\\w$]+) = (?!\\(|function)([\\s\\S]*?);(?=${next})`, 'gm');
}

function lateConstants(code: string, indent: string, names: readonly string[]): string {
  const missing = new Set(names);
  const late = code.replace(constants(indent), (statement: string, name: string, made: string) => {
    if (!missing.delete(name)) return statement;
    return `${indent}let ${name}$made;\n${indent}const ${name} = () => (${name}$made ??= ${made});`;
  });
  if (missing.size > 0) throw new Error(`The SDK does not declare ${[...missing].join(', ')} any more.`);
  return late;
}

/** Each mention of a name becomes a call, unless it is declared there, a key, a property, quoted, imported or exported. */
function calling(names: readonly string[], code: string): string {
  const late = new Set(names);
  const mention = /(?<![\w$"']|const |(?<!\.\.)\.)[\w$]+(?![\w$"':])/g;
  return code
    .split('\n')
    .map((line) => (/^(import|export) /.test(line) ? line : line.replace(mention, call)))
    .join('\n');

  function call(word: string): string {
    return late.has(word) ? `${word}()` : word;
  }
}

import type { Operation } from '../operation.ts';
import type { Field, FieldType, Signature } from './command.ts';
import { FORMAT } from './formats.ts';

/** The part of JSON Schema that decides how a value is typed on a command line. */
export interface Schema {
  type?: string | readonly string[];
  properties?: Record<string, Schema>;
  required?: readonly string[];
  items?: Schema;
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  format?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  description?: string;
}

/** Options that every command has: an input field may not be called like them. */
const TAKEN = new Set(['help', 'json', 'home', 'set']);

/** The fields of an operation's command, read from its input schema. */
export function signatureOf(operation: Operation): Signature {
  const schema = operation.input.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Schema;
  const { positionals = [], stdin, letters = {}, also = {}, omit = [], list } = operation.cli ?? {};
  const letterOf = new Map(Object.entries(letters).map(([letter, name]) => [name, letter]));
  const { properties = {} } = schema;
  const taken = Object.fromEntries(Object.entries(properties).filter(([name]) => !omit.includes(name)));
  const own = fieldsOf({ ...schema, properties: taken }).map((field): Field => {
    const letter = letterOf.get(field.place.join('.'));
    const names = [...field.names, ...(also[field.place.join('.')] ?? [])] as Field['names'];
    return { ...field, names, ...(letter === undefined ? {} : { letter }) };
  });
  const fields = list ? [...own, FORMAT] : own;
  const named = (name: string): Field => {
    const field = fields.find(({ place }) => place.join('.') === name);
    if (!field) throw new Error(`${operation.cli?.path}: there is no input field ${name}.`);
    return field;
  };
  return {
    fields,
    positionals: positionals.map(named),
    ...(stdin === undefined ? {} : { stdin: named(stdin) }),
  };
}

export function fieldsOf(schema: Schema): Field[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([key, property]) => {
    const required = schema.required?.includes(key) ?? false;
    return property.properties ? nestedFields(key, property, required) : [toField([key], property, required)];
  });
  return withShortNames(fields);
}

function nestedFields(parent: string, schema: Schema, parentRequired: boolean): Field[] {
  return Object.entries(schema.properties ?? {}).map(([key, property]) =>
    toField([parent, key], property, parentRequired && (schema.required?.includes(key) ?? false)),
  );
}

function toField(place: readonly [string, ...string[]], schema: Schema, required: boolean): Field {
  const name = place.map(toOption).join('.');
  if (TAKEN.has(name))
    throw new Error(`The option --${name} belongs to every command; call the input field otherwise.`);
  return {
    place,
    names: [name],
    type: typeOf(schema),
    required,
    ...(schema.description === undefined ? {} : { description: schema.description }),
    ...(schema.default === undefined ? {} : { fallback: schema.default }),
  };
}

/** `--chat-type` is short for `--filter.chat-type` as long as it is unambiguous. */
function withShortNames(fields: readonly Field[]): Field[] {
  const uses = new Map<string, number>();
  for (const { place } of fields) {
    const short = toOption(place.at(-1) ?? '');
    uses.set(short, (uses.get(short) ?? 0) + 1);
  }
  return fields.map((field) => {
    const short = toOption(field.place.at(-1) ?? '');
    const isFree = field.place.length > 1 && uses.get(short) === 1 && !TAKEN.has(short);
    return isFree ? { ...field, names: [short, ...field.names] } : field;
  });
}

/** How a field is spelled as an option: `chatType` and `chat_type` are `chat-type`. */
export function toOption(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}

function typeOf(schema: Schema): FieldType {
  const alternatives = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== 'null');
  const [only] = alternatives;
  if (only && alternatives.length === 1) return typeOf(only);
  const values = alternatives.length > 0 ? alternatives.flatMap(choicesOf) : choicesOf(schema);
  if (values.length > 0 && values.every((value) => typeof value === 'string')) return { kind: 'choice', values };
  if (isOneOrMany(alternatives)) return { kind: 'list', of: { kind: 'text' }, isWhole: true };
  if (alternatives.length > 0) return { kind: 'json', orText: alternatives.some(isText) };
  return plainType(schema);
}

/** One text, or a list of such. */
function isOneOrMany(alternatives: readonly Schema[]): boolean {
  const [one, many, ...others] = alternatives;
  return one?.type === 'string' && many?.type === 'array' && many.items?.type === 'string' && others.length === 0;
}

/** The values a schema lists; if it lists none, a value that is not a text and so not a choice. */
function choicesOf(schema: Schema): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  return schema.enum ?? [undefined];
}

function plainType(schema: Schema): FieldType {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  switch (types.length === 1 ? types[0] : undefined) {
    case 'string':
      return { kind: schema.format === 'path' ? 'path' : 'text' };
    case 'boolean':
      return { kind: 'flag' };
    case 'integer':
      return numberType(schema, true);
    case 'number':
      return numberType(schema, false);
    case 'array':
      return { kind: 'list', of: listItem(schema.items ?? {}) };
    default:
      return { kind: 'json', orText: types.includes('string') };
  }
}

function listItem(schema: Schema): FieldType {
  const type = typeOf(schema);
  return type.kind === 'list' ? { kind: 'json', orText: false } : type;
}

function numberType({ minimum, maximum }: Schema, whole: boolean): FieldType {
  const isLimit = (bound: number | undefined): bound is number =>
    bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER;
  return {
    kind: 'number',
    whole,
    ...(isLimit(minimum) ? { min: minimum } : {}),
    ...(isLimit(maximum) ? { max: maximum } : {}),
  };
}

function isText(schema: Schema): boolean {
  return schema.type === 'string' || typeof schema.const === 'string';
}

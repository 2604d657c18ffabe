import type { Json, JsonObject } from '../../domain/json.ts';
import { isRecord } from '../../lib/is-record.ts';
import { visibleDeep } from '../../lib/visible.ts';

/** Longer definitions are left out: they would fill every client's context. */
const MAX_BYTES = 65_536;
const MAX_NAME = 256;

/** What a model reads of a definition, and so what is compared. Icons and metadata are for programs. */
const COMPARED = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'arguments'] as const;

/** Whether this can be offered: an object with a name of some length, not too large. */
export function isDefinition(value: Json | undefined): value is JsonObject & { name: string } {
  if (!isRecord(value) || typeof value.name !== 'string') return false;
  return value.name.length > 0 && value.name.length <= MAX_NAME && JSON.stringify(value).length <= MAX_BYTES;
}

/** A tool also has a schema of its arguments, which is an object. */
export function isToolDefinition(value: Json | undefined): value is JsonObject & { name: string } {
  return isDefinition(value) && isRecord(value.inputSchema) && value.inputSchema.type === 'object';
}

export function hasHiddenCharacters(definition: JsonObject): boolean {
  const { icons, _meta, ...read } = definition;
  return visibleDeep(read) !== read;
}

/** Whether a model would read the same. The order of keys does not count. */
export function isSameDefinition(one: JsonObject, other: JsonObject): boolean {
  return COMPARED.every((key) => canonical(one[key]) === canonical(other[key]));
}

/** The compared part of a definition: what is kept of one that was accepted. */
export function comparedPart(definition: JsonObject): JsonObject {
  const entries = COMPARED.flatMap((key) => (definition[key] === undefined ? [] : [[key, definition[key]] as const]));
  return Object.fromEntries(entries);
}

function canonical(value: Json | undefined): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isRecord(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as Json)}`).join(',')}}`;
}

import { z } from 'zod';
import { core } from '../settings.ts';
import { asBoolean, type Environment } from './environment.ts';
import type { Problem } from './problems.ts';
import { childOf, keyOf, type Path } from './schema-walk.ts';
import { type Given, isEmpty, parsed, plain, type Setting } from './settings-tree.ts';

const ENV_REFERENCE = /\$\{env:([^}]*)\}/g;
/** A whole value in braces, or a word before a colon: meant as a reference, and no password that anyone has. */
const MISTAKEN_REFERENCE = /^\$\{(?!(?:env|secret):)[^}]*\}$|\$\{(?!(?:env|secret):)\w+:[^}]*\}/;
const INDIRECT = { indirect: true } as const;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The same settings with `${env:NAME}` replaced, and with text converted to the type of the schema. */
export function settle(
  setting: Setting,
  schema: z.core.$ZodType | undefined,
  env: Environment,
  problems: Problem[],
  path: Path = [],
): Setting {
  const kind = schema && plain(setting);
  const inner = (child: Setting, step: string | number): Setting =>
    settle(child, schema && childOf(schema, step, kind), env, problems, [...path, step]);
  switch (setting.kind) {
    case 'list':
      return { ...setting, items: setting.items.map(inner) };
    case 'mapping':
      return { ...setting, entries: new Map([...setting.entries].map(([key, child]) => [key, inner(child, key)])) };
    case 'scalar': {
      const given = withVariables(setting, env, problems, path);
      const typed = given.untyped && !isEmpty(given) && schema ? coerce(given, schema) : given;
      // A JSON value or a list may contain references.
      return typed.kind === 'scalar' ? typed : settle(typed, schema, env, problems, path);
    }
  }
}

function withVariables(setting: Given, env: Environment, problems: Problem[], path: Path): Given {
  const { value, origin } = setting;
  if (typeof value !== 'string') return setting;
  if (MISTAKEN_REFERENCE.test(value)) {
    const text = `has a reference of another kind; it must be like \${secret:NAME} or \${env:NAME}`;
    problems.push({ key: keyOf(path), origin, text });
  }
  if (!value.includes('${env:')) return setting;
  const replaced = value.replace(ENV_REFERENCE, (reference, name: string) => {
    const found = VARIABLE.test(name) ? env[name] : undefined;
    if (found !== undefined) return found;
    const text = VARIABLE.test(name)
      ? `refers to the variable ${name}, which is not set`
      : `has a reference that names no variable; it must be like \${env:NAME}`;
    problems.push({ key: keyOf(path), origin, text });
    return reference;
  });
  return {
    ...setting,
    value: replaced,
    untyped: true,
    origin: { ...origin, ...(origin.kind === 'file' ? INDIRECT : {}) },
  };
}

/** Text converted to the schema's type; text that does not match is left for the schema to refuse. */
function coerce(given: Given, schema: z.core.$ZodType): Setting {
  const text = String(given.value);
  const type = core(schema);
  const as = (value: Given['value'] | undefined): Given => ({ ...given, value: value ?? text, untyped: false });
  if (type instanceof z.ZodNumber) return as(asNumber(text));
  if (type instanceof z.ZodBoolean) return as(asBoolean(text));
  if (type instanceof z.ZodArray) return text.trimStart().startsWith('[') ? parsed(given) : asList(given, text);
  if (type instanceof z.ZodObject || type instanceof z.ZodRecord || type instanceof z.ZodDiscriminatedUnion) {
    return parsed(given);
  }
  if (type instanceof z.ZodUnion) return as(asBoolean(text));
  return as(text);
}

function asNumber(text: string): number | undefined {
  return /^\s*[+-]?\d+(?:\.\d+)?\s*$/.test(text) ? Number(text) : undefined;
}

function asList(given: Given, text: string): Setting {
  const words = text.split(',').map((word) => word.trim());
  const items = words.filter((word) => word !== '').map((value) => ({ ...given, value }));
  return { kind: 'list', items, origin: given.origin };
}

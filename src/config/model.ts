import { z } from 'zod';
import type { ConfigDeclaration, ConfigSection, Declared, Grant } from '../capability.ts';
import { type Config, programSections } from './schema.ts';

/** Everything that can be configured, as the program and its capabilities declare it. */
export interface ConfigModel {
  schema: z.ZodObject;
  sections: Readonly<Record<string, ConfigSection>>;
  reservedIds: ReadonlySet<string>;
  /** Names with which scopes begin. */
  capabilities: readonly string[];
  variables: NonNullable<ConfigDeclaration['variables']>;
  ignoredKeys: NonNullable<ConfigDeclaration['ignoredKeys']>;
}

export function configModel(
  declarations: readonly ConfigDeclaration[],
  { grants, capabilities }: Pick<Declared, 'capabilities'> & { grants: readonly Pick<Grant, 'config'>[] },
): ConfigModel {
  const tokenFields = Object.assign({}, ...grants.map(({ config }) => config));
  const sections: Record<string, ConfigSection> = { ...programSections(tokenFields) };
  for (const [name, section] of declarations.flatMap((declared) => Object.entries(declared.sections))) {
    if (Object.hasOwn(sections, name)) throw new Error(`The section ${name} is declared twice.`);
    sections[name] = section;
  }
  const shape = Object.fromEntries(Object.entries(sections).map(([name, { schema }]) => [name, schema]));
  return {
    schema: z.strictObject(shape),
    sections,
    capabilities,
    reservedIds: new Set(declarations.flatMap(({ reservedIds = [] }) => reservedIds)),
    variables: Object.assign({}, ...declarations.map(({ variables = {} }) => variables)),
    ignoredKeys: declarations.flatMap(({ ignoredKeys = [] }) => ignoredKeys),
  };
}

/** Whether a change of this key takes effect only when the program starts again. */
export function isReadAtStart({ sections }: ConfigModel, key: string): boolean {
  const name = Object.keys(sections).find((section) => key === section || key.startsWith(`${section}.`));
  const atStart = name === undefined ? undefined : sections[name]?.atStart;
  if (atStart === undefined || atStart === '*') return atStart === '*';
  return atStart.some((inner) => key === `${name}.${inner}`);
}

export function asConfig(value: Record<string, unknown>): Config {
  return value as Config;
}

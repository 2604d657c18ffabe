import { isDeepStrictEqual } from 'node:util';
import { configValues } from './config-values.ts';
import { type ConfigModel, isReadAtStart } from './model.ts';
import type { Config } from './schema.ts';
import { keyOf } from './schema-walk.ts';

/** The keys that differ: those that apply immediately, and those that are read only at the next start. */
export function changesBetween(
  before: Config,
  after: Config,
  model: ConfigModel,
): { live: string[]; atStart: string[] } {
  const [old, now] = [valuesByKey(before, model), valuesByKey(after, model)];
  const keys = [...new Set([...old.keys(), ...now.keys()])];
  const changed = keys.filter((key) => !isDeepStrictEqual(old.get(key), now.get(key))).sort();
  return {
    live: changed.filter((key) => !isReadAtStart(model, key)),
    atStart: changed.filter((key) => isReadAtStart(model, key)),
  };
}

function valuesByKey(config: Config, { schema }: ConfigModel): Map<string, unknown> {
  return new Map([...configValues(config, schema)].map(({ path, value }) => [keyOf(path), value]));
}

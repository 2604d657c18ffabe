import { changesBetween } from './changes.ts';
import { asConfig, type ConfigModel } from './model.ts';
import type { Config } from './schema.ts';

type Listener = (changedKeys: readonly string[]) => unknown;

/** The configuration that a process uses: one frozen value, replaced as a whole when the file changes. */
export interface ConfigInForce {
  current(): Config;
  /** Calls back after a change in one of the sections, with the keys that changed there. Returns how to stop that. */
  onChange(sections: readonly string[], listener: Listener): () => void;
  /**
   * Uses another configuration, except for what is read only at the start. Resolves when every listener has done its
   * work, with the keys that changed.
   */
  replace(next: Config): Promise<{ live: readonly string[]; atStart: readonly string[] }>;
}

export function createConfigInForce(model: ConfigModel, first: Config): ConfigInForce {
  const listeners = new Set<{ sections: readonly string[]; listener: Listener }>();
  let current = deepFrozen(first);
  return {
    current: () => current,
    onChange(sections, listener) {
      const entry = { sections, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    async replace(next) {
      const changes = changesBetween(current, next, model);
      const kept = Object.entries(model.sections).filter(([, { atStart }]) => atStart === '*');
      const values = kept.map(([name]) => [name, current[name]]);
      current = deepFrozen(asConfig({ ...next, ...Object.fromEntries(values) }));
      for (const { sections, listener } of listeners) {
        const keys = changes.live.filter((key) => sections.some((name) => key === name || key.startsWith(`${name}.`)));
        if (keys.length > 0) await listener(keys);
      }
      return changes;
    },
  };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFrozen(inner);
  return Object.freeze(value);
}

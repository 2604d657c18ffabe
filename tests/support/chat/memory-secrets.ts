import type { SourceSecrets } from '../../../src/chat/engine/live-source.ts';

/** The secrets of sources, in memory. */
export function memorySecrets(values = new Map<string, string>()): SourceSecrets {
  return {
    get: async (source, name) => values.get(`${source} ${name}`),
    set: async (source, name, value) => void values.set(`${source} ${name}`, value),
    delete: async (source, name) => void values.delete(`${source} ${name}`),
  };
}

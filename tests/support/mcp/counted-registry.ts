import type { Registry } from '../../../src/mcp/registry.ts';

/** The same registry, which counts its listeners and resolves when there are none left. */
export function countedRegistry(registry: Registry) {
  let listeners = 0;
  let waiting: (() => void)[] = [];

  function counted(stop: () => void): () => void {
    listeners += 1;
    let listening = true;
    return () => {
      stop();
      if (!listening) return;
      listening = false;
      listeners -= 1;
      if (listeners > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    };
  }

  return {
    registry: {
      ...registry,
      onUpdate: (listener, principal) => counted(registry.onUpdate(listener, principal)),
      onListChanged: (listener) => counted(registry.onListChanged(listener)),
    } satisfies Registry,
    listeners: () => listeners,
    nobodyListens: () => (listeners === 0 ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve))),
  };
}

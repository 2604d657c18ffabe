/** Callbacks for something that happens repeatedly. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    /** Returns how to stop. */
    add(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notify(): void {
      for (const listener of [...listeners]) listener();
    },
  };
}

/** Remembers what was set or asked for lately: at least this many entries, at most twice as many. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Two maps in turn: taking the oldest entry out of one map, again and again, takes ever longer. */
export function createRecent<Value>(count: number): Recent<Value> {
  let [recent, older] = [new Map<string, Value>(), new Map<string, Value>()];

  function set(key: string, value: Value): void {
    if (recent.size >= count) [recent, older] = [new Map(), recent];
    recent.set(key, value);
  }

  return {
    set,
    get(key) {
      const value = recent.get(key);
      if (value !== undefined) return value;
      const kept = older.get(key);
      if (kept !== undefined) set(key, kept);
      return kept;
    },
  };
}

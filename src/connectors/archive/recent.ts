/** A cache of recently used entries: at least this many, at most twice as many. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/** Two maps in turn, because repeatedly deleting the oldest entry of one map becomes slower and slower. */
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

/** A cache of recently used entries: at least this many, at most twice as many. */
export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

interface SizedMap<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): unknown;
  readonly size: number;
}

/** Two maps in turn, because repeatedly deleting the oldest entry of one map becomes slower and slower. */
export function createRecent<Value>(
  count: number,
  createMap: () => SizedMap<Value> = () => new Map<string, Value>(),
): Recent<Value> {
  let [recent, older] = [createMap(), createMap()];

  function set(key: string, value: Value): void {
    if (recent.size >= count) [recent, older] = [createMap(), recent];
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

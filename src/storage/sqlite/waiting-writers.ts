/** Writers that wait for a task in the background thread, which then ends as soon as it can. Both threads see them. */
export interface WaitingWriters {
  readonly shared: SharedArrayBuffer;
  arrived(): void;
  left(): void;
  isAny(): boolean;
}

export function createWaitingWriters(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)): WaitingWriters {
  const count = new Int32Array(shared);
  return {
    shared,
    arrived: () => void Atomics.add(count, 0, 1),
    left: () => void Atomics.sub(count, 0, 1),
    isAny: () => Atomics.load(count, 0) > 0,
  };
}

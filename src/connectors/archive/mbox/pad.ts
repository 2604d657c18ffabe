/** Collects the bytes of one email at a time up to a limit, without retaining the buffers they were read into. */
export interface Pad {
  add(data: Buffer, start: number, end: number): void;
  /** Returns a copy of the collected bytes and starts over. */
  take(): { bytes: Uint8Array<ArrayBuffer>; isCut: boolean };
}

const FIRST_SIZE = 64 * 1024;

export function createPad(largest: number): Pad {
  let buffer = Buffer.alloc(Math.min(FIRST_SIZE, largest));
  let [length, isCut] = [0, false];

  function grow(wanted: number): void {
    const larger = Buffer.alloc(Math.min(largest, Math.max(wanted, buffer.length * 2)));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  return {
    add(data, start, end) {
      const fitting = Math.min(end, start + largest - length);
      if (fitting < end) isCut = true;
      if (length + fitting - start > buffer.length) grow(length + fitting - start);
      length += data.copy(buffer, length, start, fitting);
    },
    take() {
      const taken = { bytes: new Uint8Array(buffer.subarray(0, length)), isCut };
      if (buffer.length > FIRST_SIZE) buffer = Buffer.alloc(Math.min(FIRST_SIZE, largest));
      [length, isCut] = [0, false];
      return taken;
    },
  };
}

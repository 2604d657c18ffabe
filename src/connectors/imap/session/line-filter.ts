/** Returns whether it has taken the line; no other reader gets it then. */
export type LineReader = (line: Buffer) => boolean;

/** The stream in which imapflow cuts what the server sends into answers. Not part of its interface. */
export interface AnswerStream {
  processInputChunk?(chunk: Buffer): Promise<void>;
  /** `IN_LINE`, or in the content of a string. */
  state?: number;
  /** Parts of a line whose end has not arrived yet. */
  lineBuffer?: readonly Buffer[];
  /** Lines of an answer that goes on after the content of a string. */
  inputBuffer?: readonly Buffer[];
}

const IN_LINE = 1;
const [LF, CR, CLOSING_BRACE] = [0x0a, 0x0d, 0x7d];

/** Takes lines out of what the server sends. For each answer that it hands over, imapflow waits for several promises. */
export function createLineFilter(stream: AnswerStream): { add(read: LineReader): () => void } {
  const readers = new Set<LineReader>();
  const usual = stream.processInputChunk?.bind(stream);

  function isRead(line: Buffer): boolean {
    for (const read of readers) if (read(line)) return true;
    return false;
  }

  /** Returns where the first line begins that no reader has taken. */
  function readLines(chunk: Buffer, from: number): number {
    let at = from;
    for (;;) {
      const end = chunk.indexOf(LF, at);
      if (end < at + 2 || chunk[end - 1] !== CR) return at;
      // The content of a string follows.
      if (chunk[end - 2] === CLOSING_BRACE) return at;
      if (!isRead(chunk.subarray(at, end - 1))) return at;
      at = end + 1;
    }
  }

  if (usual) {
    stream.processInputChunk = async (chunk) => {
      if (readers.size === 0) return usual(chunk);
      for (let at = 0; at < chunk.length; ) {
        if (isBetweenAnswers(stream)) at = readLines(chunk, at);
        if (at === chunk.length) return;
        const end = stream.state === IN_LINE ? endOfLine(chunk, at) : chunk.length;
        await usual(chunk.subarray(at, end));
        at = end;
      }
    };
  }
  return {
    add(read) {
      readers.add(read);
      return () => readers.delete(read);
    },
  };
}

function isBetweenAnswers({ state, lineBuffer, inputBuffer }: AnswerStream): boolean {
  return state === IN_LINE && lineBuffer?.length === 0 && inputBuffer?.length === 0;
}

function endOfLine(chunk: Buffer, from: number): number {
  const end = chunk.indexOf(LF, from);
  return end === -1 ? chunk.length : end + 1;
}

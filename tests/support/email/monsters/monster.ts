/** An email that was made to break a parser. */
export interface Monster {
  name: string;
  bytes: Buffer;
  /** What can still be read of its text; missing if there is nothing, and a problem must be told. */
  text?: RegExp;
}

export function monster(name: string, content: string | readonly (string | Buffer)[], text?: RegExp): Monster {
  const pieces = typeof content === 'string' ? [content] : content;
  const bytes = Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
  );
  return { name, bytes, ...(text === undefined ? {} : { text }) };
}

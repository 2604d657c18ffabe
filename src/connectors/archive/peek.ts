/** The beginning of a stream, and all of it. */
export async function peek(
  source: AsyncIterable<Buffer>,
  bytes: number,
): Promise<{ head: Buffer; all: AsyncGenerator<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  for (let length = 0; length < bytes; ) {
    const next = await iterator.next();
    if (next.done) break;
    held.push(next.value);
    length += next.value.length;
  }
  return { head: held.length === 1 && held[0] ? held[0] : Buffer.concat(held), all: rest(held, iterator) };
}

async function* rest(held: Buffer[], iterator: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* held.splice(0);
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    await iterator.return?.();
  }
}

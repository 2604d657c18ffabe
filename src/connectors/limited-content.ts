/** A content that fails when it has more bytes. */
export async function* limitedContent(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The content has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

/** All of it. */
export async function wholeContent(content: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of limitedContent(content, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

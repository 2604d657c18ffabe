import type { BinaryNode } from 'baileys';

export function node(tag: string, attrs: Record<string, string> = {}, content?: BinaryNode['content']): BinaryNode {
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

export function children({ content }: BinaryNode): BinaryNode[] {
  return Array.isArray(content) ? content : [];
}

export function child(parent: BinaryNode | undefined, tag: string): BinaryNode | undefined {
  return parent && children(parent).find((each) => each.tag === tag);
}

export function bytesOf(parent: BinaryNode | undefined, tag: string): Buffer {
  const content = child(parent, tag)?.content;
  return content instanceof Uint8Array ? Buffer.from(content) : Buffer.alloc(0);
}

export function numberOf(parent: BinaryNode | undefined, tag: string): number {
  const bytes = bytesOf(parent, tag);
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length);
}

export function bigEndian(value: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

/** The user of an address, without device and server. */
export function userOf(jid: string | undefined): string {
  return (jid ?? '').replace(/[:@].*$/, '');
}

export function seconds(): string {
  return String(Math.floor(Date.now() / 1_000));
}

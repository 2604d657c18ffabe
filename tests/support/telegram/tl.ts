import { createRequire } from 'node:module';
import { __tlReaderMap, __tlWriterMap, TlBinaryReader, TlBinaryWriter } from '@mtcute/core/utils.js';

interface Argument {
  name: string;
  type: string;
  typeModifiers?: { predicate?: string; isVector?: boolean; isBareVector?: boolean };
}

interface Entry {
  kind: 'method' | 'class';
  id: number;
  name: string;
  arguments: Argument[];
}

const schema = createRequire(import.meta.url)('@mtcute/core/tl/api-schema.json') as { e: Entry[] };
const methods = new Map(schema.e.filter(({ kind }) => kind === 'method').map((entry) => [entry.id, entry]));

const PRIMITIVES: Record<string, (reader: TlBinaryReader) => unknown> = {
  int: (reader) => reader.int(),
  int53: (reader) => reader.int53(),
  long: (reader) => reader.long(),
  double: (reader) => reader.double(),
  string: (reader) => reader.string(),
  bytes: (reader) => reader.bytes(),
  Bool: (reader) => reader.boolean(),
  int128: (reader) => reader.int128(),
  int256: (reader) => reader.int256(),
};

/** A request with the requests around it, such as `invokeWithLayer`. */
export interface Request {
  _: string;
  query?: Request;
}

export function readerOf(bytes: Uint8Array): TlBinaryReader {
  return new TlBinaryReader(__tlReaderMap, bytes);
}

/** Reads a request from the schema: the library has readers for answers only. */
export function readMethod(reader: TlBinaryReader): Request {
  const id = reader.uint();
  const method = methods.get(id);
  if (!method) throw new Error(`unknown method 0x${id.toString(16)}`);
  const request: Record<string, unknown> = { _: method.name };
  const flags = new Map<string, number>();
  for (const argument of method.arguments) {
    if (argument.type === '#') flags.set(argument.name, reader.uint());
    else if (argument.type === 'true') request[camelCase(argument.name)] = isPresent(argument, flags);
    else if (isPresent(argument, flags)) request[camelCase(argument.name)] = readArgument(reader, argument);
  }
  return request as unknown as Request;
}

function isPresent({ typeModifiers }: Argument, flags: ReadonlyMap<string, number>): boolean {
  const [name = '', bit] = typeModifiers?.predicate?.split('.') ?? [];
  return bit === undefined || (((flags.get(name) ?? 0) >>> Number(bit)) & 1) === 1;
}

function readArgument(reader: TlBinaryReader, { type, typeModifiers = {} }: Argument): unknown {
  const one = () => {
    if (type === 'X' || type === '!X') return readMethod(reader);
    return PRIMITIVES[type]?.(reader) ?? reader.object();
  };
  const { isVector, isBareVector } = typeModifiers;
  if (!isVector && !isBareVector) return one();
  if (isVector) reader.uint();
  return Array.from({ length: reader.uint() }, one);
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

const TRUE = 0x997275b5;
const FALSE = 0xbc799737;
const VECTOR = 0x1cb5c415;

/** The bytes of an answer: an object, a list of objects, or a truth value. */
export function bytesOf(answer: unknown): Buffer {
  if (typeof answer === 'boolean') return word(answer ? TRUE : FALSE);
  if (Array.isArray(answer)) return Buffer.concat([word(VECTOR), word(answer.length), ...answer.map(bytesOf)]);
  return Buffer.from(TlBinaryWriter.serializeObject(__tlWriterMap, answer as { _: string }));
}

export function word(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function tlBytes(bytes: Uint8Array): Buffer {
  const head = bytes.length < 254 ? Buffer.from([bytes.length]) : word(254 | (bytes.length << 8));
  const length = head.length + bytes.length;
  return Buffer.concat([head, bytes, Buffer.alloc((4 - (length % 4)) % 4)]);
}

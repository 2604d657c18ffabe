import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  name: string | Buffer;
  content: string | Buffer;
  /** Bits of the general purpose flag: 1 is encrypted, 0x800 is a UTF-8 name. */
  flags?: number;
  /** 8 is deflate, 0 is stored. */
  method?: number;
  /** The size in the central directory, if it is wrong. */
  claimedSize?: number;
  /** The mode of Unix: 0o120777 is a symbolic link. */
  mode?: number;
}

/** A zip file, valid or deliberately invalid. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { local, central } = packed(entry, offset);
    files.push(local);
    directory.push(central);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, list, end]);
}

function packed({ name, content, flags = 0, method = 8, claimedSize, mode = 0 }: ZipEntry, offset: number) {
  const [bytes, names] = [Buffer.from(content as string), Buffer.from(name as string)];
  const data = method === 8 ? deflateRawSync(bytes) : bytes;
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(flags, 2);
  common.writeUInt16LE(method, 4);
  common.writeUInt32LE(crc32(bytes), 10);
  common.writeUInt32LE(data.length, 14);
  common.writeUInt32LE(claimedSize ?? bytes.length, 18);
  common.writeUInt16LE(names.length, 22);
  const rest = Buffer.alloc(14);
  rest.writeUInt16LE(mode, 8);
  rest.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([signature(0x04034b50), common, names, data]),
    central: Buffer.concat([signature(0x02014b50), Buffer.from([20, mode === 0 ? 0 : 3]), common, rest, names]),
  };
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

import type { Socket } from 'node:net';
import { loadForeignFunctions } from './foreign-functions.ts';

/** Where the kernel stores the process that connected to a Unix socket: level, option, and the size of the answer. */
const OPTIONS: Partial<Record<NodeJS.Platform, readonly [level: number, option: number, bytes: number]>> = {
  // SOL_SOCKET, SO_PEERCRED: pid, uid, gid
  linux: [1, 17, 12],
  // SOL_LOCAL, LOCAL_PEERPID
  darwin: [0, 2, 4],
};

type GetOption = (file: number, level: number, option: number, value: Buffer, size: Buffer) => number;

let getOption: GetOption | undefined;

/**
 * The process that connected to this Unix socket, from the kernel: what a client reports about itself may be wrong, or
 * counted in another process namespace. Undefined where the kernel does not report it.
 */
export function peerProcess(socket: Socket): number | undefined {
  const file = fileOf(socket);
  const asked = OPTIONS[process.platform];
  if (file === undefined || !asked) return undefined;
  const [level, option, bytes] = asked;
  const value = Buffer.alloc(bytes);
  const size = Buffer.alloc(4);
  size.writeInt32LE(bytes);
  try {
    getOption ??= loadForeignFunctions()
      .load(null)
      .func('int getsockopt(int file, int level, int option, void *value, void *size)') as GetOption;
    if (getOption(file, level, option, value, size) !== 0) return undefined;
  } catch {
    return undefined;
  }
  return value.readInt32LE(0) || undefined;
}

/** Node has no public property for it. */
function fileOf(socket: Socket): number | undefined {
  const handle: unknown = Reflect.get(socket, '_handle');
  const file: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined;
  return typeof file === 'number' && file >= 0 ? file : undefined;
}

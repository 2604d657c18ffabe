import { open } from 'node:fs/promises';
import { AppError } from '../domain/errors.ts';
import { daemonLog } from '../lib/daemon-address.ts';
import { askStatus, askToLeave } from '../shim/attach.ts';
import type { DaemonPort } from '../system/daemon-port.ts';
import { helloOf } from './processes.ts';

/** More than enough for the most lines that can be asked for. */
const TAIL_BYTES = 4 * 1024 * 1024;

/** What a command can ask the daemon of a home about itself. */
export function daemonPort(home: string): DaemonPort {
  return {
    async status() {
      const reply = await askStatus(home, await helloOf('status'));
      if (!reply) return { running: false };
      const { pid, version, kind, uptime_ms, clients, url } = reply;
      return { running: true, pid, version, kind, uptime_ms, clients, ...(url === undefined ? {} : { url }) };
    },
    async stop() {
      const reply = await askToLeave(home, await helloOf('stop'));
      if (reply?.error) throw new AppError('CONFLICT', reply.error.message, { hint: 'End that process itself.' });
      return reply ? { stopped: true, pid: reply.pid } : { stopped: false };
    },
    async logs({ lines: count, after }) {
      const path = daemonLog(home);
      const { bytes, from } = await tailOf(path, after);
      const end = bytes.lastIndexOf(0x0a) + 1;
      const lines = bytes.toString('utf8', 0, end).split('\n').slice(0, -1);
      return { path, lines: after === undefined ? lines.slice(-count) : lines, position: from + end };
    },
  };
}

async function tailOf(path: string, after = 0): Promise<{ bytes: Buffer; from: number }> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    // A file that is shorter than it was is another one: the former has been put aside.
    const from = Math.max(after > size ? 0 : after, size - TAIL_BYTES);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from });
    return { bytes: buffer.subarray(0, bytesRead), from };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { bytes: Buffer.alloc(0), from: 0 };
    throw error;
  }
}

import { followLines, type Lines, lastLines, linesAfter } from '../daemon/log-lines.ts';
import { AppError } from '../domain/errors.ts';
import { daemonLog } from '../lib/daemon-address.ts';
import { askStatus, askToLeave } from '../shim/attach.ts';
import type { DaemonPort } from '../system/daemon-port.ts';
import { helloOf } from './processes.ts';

/** What a command can ask the daemon of a home about itself. */
export function daemonPort(home: string): DaemonPort {
  const path = daemonLog(home);
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
    logs: (which) => firstLines(which),
    followLogs: async (which, signal) => logsFrom(await firstLines(which), signal),
  };

  async function* logsFrom(first: Lines, signal: AbortSignal): AsyncGenerator<Lines> {
    yield first;
    yield* followLines(path, first.position, signal);
  }

  function firstLines({ lines, after }: { lines: number; after?: number | undefined }): Promise<Lines> {
    return after === undefined ? lastLines(path, lines) : linesAfter(path, after);
  }
}

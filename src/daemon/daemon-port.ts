import { AppError } from '../domain/errors.ts';
import { daemonLog } from '../lib/daemon-address.ts';
import { ownHello } from '../lib/daemon-hello.ts';
import { askStatus, askToLeave } from '../shim/attach.ts';
import { followLines, type Lines, lastLines, linesAfter } from './log-lines.ts';

interface LogRequest {
  /** How many of the last lines. */
  lines: number;
  /** Instead, all lines after this position. */
  after?: number | undefined;
}

/** The commands about the daemon of a home. */
export function daemonPort(home: string) {
  const path = daemonLog(home);
  return {
    async status() {
      const reply = await askStatus(home, ownHello('status'));
      if (!reply) return { running: false };
      const { pid, version, kind, uptime_ms, clients, url } = reply;
      return { running: true, pid, version, kind, uptime_ms, clients, ...(url === undefined ? {} : { url }) };
    },
    async stop() {
      const reply = await askToLeave(home, ownHello('stop'));
      if (reply?.error) throw new AppError('CONFLICT', reply.error.message, { hint: 'End that process itself.' });
      return reply ? { stopped: true, pid: reply.pid } : { stopped: false };
    },
    logs: firstLines,
    followLogs: async (which: LogRequest, signal: AbortSignal) => logsFrom(await firstLines(which), signal),
  };

  async function* logsFrom(first: Lines, signal: AbortSignal): AsyncGenerator<Lines> {
    yield first;
    yield* followLines(path, first.position, signal);
  }

  function firstLines({ lines, after }: LogRequest): Promise<Lines> {
    return after === undefined ? lastLines(path, lines) : linesAfter(path, after);
  }
}

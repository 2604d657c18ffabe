import { AppError } from '../domain/errors.ts';
import type { JsonObject } from '../domain/json.ts';
import { daemonLog } from '../lib/daemon-address.ts';
import { ownHello } from '../lib/daemon-hello.ts';
import { askStatus, askToLeave } from '../shim/attach.ts';
import { findDaemon } from '../shim/find-daemon.ts';
import { askDaemon } from './ask-daemon.ts';
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
      const { pid, version, kind, uptime_ms, clients, url, config_problem } = reply;
      return {
        running: true,
        pid,
        version,
        kind,
        uptime_ms,
        clients,
        ...(url === undefined ? {} : { url }),
        ...(config_problem === undefined ? {} : { config_problem }),
      };
    },
    async stop() {
      const reply = await askToLeave(home, ownHello('stop'));
      if (reply?.error) throw new AppError('CONFLICT', reply.error.message, { hint: 'End that process itself.' });
      return reply ? { stopped: true, pid: reply.pid } : { stopped: false };
    },
    async call(operation: string, input: object, signal: AbortSignal): Promise<JsonObject> {
      const program = process.argv[1] ?? '';
      const found = await findDaemon({
        home,
        program,
        hello: ownHello('cli'),
        mayStart: true,
        notBefore: 0,
        stop: signal,
      });
      if (found.kind === 'attached') return askDaemon(found.attachment.socket, operation, input, () => {}, signal);
      const message = found.kind === 'failed' ? found.message : 'No daemon can be started here.';
      throw new AppError('SERVICE_UNAVAILABLE', message);
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

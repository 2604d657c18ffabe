import type { Capability } from '../capability.ts';
import { isConfined } from '../domain/grants.ts';
import type { RunningState } from '../domain/running-state.ts';
import type { Clock } from '../lib/clock.ts';
import { ownSessions } from './own-sessions.ts';
import type { SessionRepository, StatusPort, StoreAdmin } from './ports.ts';

interface Parts {
  version: string;
  startedAt: number;
  clock: Clock;
  capabilities(): readonly Capability[];
  store(): Promise<{ admin: Pick<StoreAdmin, 'report'>; sessions: Pick<SessionRepository, 'list' | 'find'> }>;
  running: Pick<RunningState, 'configProblem' | 'clientsWithoutSession'>;
  /** The provider of the master key. */
  secrets(): Promise<string>;
}

const MOST_SESSIONS = 1_000;

/** The status of the program, with that of each capability. */
export function createStatusPort(parts: Parts): StatusPort {
  const { version, startedAt, clock, running, capabilities, store, secrets } = parts;
  return {
    async status(context) {
      const { principal } = context;
      const { admin, sessions } = await store();
      const isLimited = isConfined(principal);
      const problem = running.configProblem();
      const withStatus = capabilities().flatMap(({ status, parts: own, partsFor }) =>
        status ? [{ status, parts: partsFor?.(principal, context) ?? own }] : [],
      );
      const counted = isLimited ? ownSessions(sessions, principal) : sessions;
      const [keys, report, open, declared] = await Promise.all([
        isLimited ? undefined : secrets(),
        isLimited ? undefined : admin.report(),
        counted.list({ open: true, limit: MOST_SESSIONS }),
        Promise.all(withStatus.map(async ({ status, parts: own }) => [status.key, await status.read(own)])),
      ]);
      return {
        version,
        uptime_ms: clock.now() - startedAt,
        capabilities: capabilities().map(({ name }) => name),
        ...Object.fromEntries(declared),
        sessions: open.length,
        ...(isLimited ? {} : { clients_without_session: running.clientsWithoutSession() }),
        ...(isLimited || problem === undefined ? {} : { config_problem: problem }),
        ...(report && keys !== undefined ? { store: report, secrets: keys } : {}),
      };
    },
  };
}

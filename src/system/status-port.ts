import type { Capability } from '../capability.ts';
import type { Clock } from '../lib/clock.ts';
import type { SessionRepository, StatusPort, StoreAdmin } from './ports.ts';

interface Parts {
  version: string;
  startedAt: number;
  clock: Clock;
  capabilities(): readonly Capability[];
  store(): Promise<{ admin: Pick<StoreAdmin, 'report'>; sessions: Pick<SessionRepository, 'list'> }>;
  /** The provider of the master key. */
  secrets(): Promise<string>;
}

const MOST_SESSIONS = 1_000;

/** The status of the program, with that of each capability. */
export function createStatusPort({ version, startedAt, clock, capabilities, store, secrets }: Parts): StatusPort {
  return {
    async status() {
      const { admin, sessions } = await store();
      const withStatus = capabilities().flatMap(({ status, parts }) => (status ? [{ status, parts }] : []));
      const [report, open, declared] = await Promise.all([
        admin.report(),
        sessions.list({ open: true, limit: MOST_SESSIONS }),
        Promise.all(withStatus.map(async ({ status, parts }) => [status.key, await status.read(parts)])),
      ]);
      return {
        version,
        uptime_ms: clock.now() - startedAt,
        capabilities: capabilities().map(({ name }) => name),
        ...Object.fromEntries(declared),
        servers: [],
        sessions: open.length,
        store: report,
        secrets: await secrets(),
      };
    },
  };
}

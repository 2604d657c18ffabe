import {
  type AnyCapability,
  type Declared,
  defineCapability,
  type OpenCapability,
  type ResourceUpdate,
  type Retention,
} from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { StoredEvent } from '../domain/event-log.ts';
import { isConfined } from '../domain/grants.ts';
import type { SessionId } from '../domain/ids.ts';
import type { Clock } from '../lib/clock.ts';
import { accessOf, completed, type Operation, type Resource, type ResourceTemplate } from '../operation.ts';
import type { AssistantsPort } from './assistants-port.ts';
import type { ConfigPort } from './config-port.ts';
import type { DaemonPort } from './daemon-port.ts';
import type { DoctorPort } from './doctor-port.ts';
import { addToken } from './operations/add-token.ts';
import { backupStore } from './operations/backup-store.ts';
import { checkStore } from './operations/check-store.ts';
import { configPath } from './operations/config-path.ts';
import { connect } from './operations/connect.ts';
import { daemonLogs } from './operations/daemon-logs.ts';
import { daemonStatus } from './operations/daemon-status.ts';
import { daemonStop } from './operations/daemon-stop.ts';
import { deleteSecret } from './operations/delete-secret.ts';
import { doctor } from './operations/doctor.ts';
import { getSession } from './operations/get-session.ts';
import { installService } from './operations/install-service.ts';
import { listAudit } from './operations/list-audit.ts';
import { listSecrets } from './operations/list-secrets.ts';
import { listSessions } from './operations/list-sessions.ts';
import { listTokens } from './operations/list-tokens.ts';
import { removeService } from './operations/remove-service.ts';
import { removeToken } from './operations/remove-token.ts';
import { restoreStore } from './operations/restore-store.ts';
import { rotateSecrets } from './operations/rotate-secrets.ts';
import { setSecret } from './operations/set-secret.ts';
import { showAudit } from './operations/show-audit.ts';
import { showConfig } from './operations/show-config.ts';
import { status } from './operations/status.ts';
import { tailAudit } from './operations/tail-audit.ts';
import { vacuumStore } from './operations/vacuum-store.ts';
import { validateConfig } from './operations/validate-config.ts';
import { ownSessions } from './own-sessions.ts';
import type {
  AuditLog,
  ConfiguredTokens,
  RestorePort,
  SessionRepository,
  StatusPort,
  StoreAdmin,
  TokenRepository,
} from './ports.ts';
import type { SecretsPort } from './secrets-port.ts';
import type { ServicePort } from './service-port.ts';
import { toSessionView } from './session-view.ts';
import { systemStore } from './store.ts';
import { createTokensNow, type TokensNow } from './tokens-now.ts';

export interface SystemParts {
  status: StatusPort;
  config: ConfigPort;
  daemon: DaemonPort;
  secrets: SecretsPort;
  sessions: SessionRepository;
  store: StoreAdmin;
  tokens: TokenRepository;
  configuredTokens: ConfiguredTokens;
  assistants: AssistantsPort;
  declared(): Declared;
  /** The capabilities that can be served alone. */
  served(): readonly string[];
  doctor: DoctorPort;
  restore: RestorePort;
  service: ServicePort;
  events: Prunable;
  audit: AuditLog;
  home: string;
  clock: Clock;
}

interface Prunable {
  prune(before: number): Promise<number>;
}

const DAY = 24 * 60 * 60 * 1000;
const KEEP_EVENTS_MS = 30 * DAY;
const KEEP_AUDIT_MS = 90 * DAY;

const STATUS = 'switchboard://status';
const SESSIONS = 'switchboard://sessions/';

declare module '../capability.ts' {
  interface Services {
    system: TokensNow;
  }
}

/** The program about itself: status, configuration, sessions, store, secrets, tokens. */
export function systemCapability(parts: SystemParts): AnyCapability {
  return defineCapability({
    name: 'system',
    invalidInput: 'VALIDATION_ERROR',
    combinedOnly: true,
    store: systemStore,
    open: () => offerOf(parts),
  });
}

function offerOf(parts: SystemParts): OpenCapability {
  return {
    operations: [
      status,
      showConfig,
      validateConfig,
      configPath,
      listSessions,
      getSession,
      backupStore,
      checkStore,
      vacuumStore,
      restoreStore,
      setSecret,
      listSecrets,
      deleteSecret,
      rotateSecrets,
      addToken,
      listTokens,
      removeToken,
      daemonStatus,
      daemonStop,
      daemonLogs,
      connect,
      doctor,
      installService,
      removeService,
      listAudit,
      showAudit,
      tailAudit,
    ].map((operation) => completed(operation as Operation, parts.declared)),
    resources: [statusResource, configResource] as Resource[],
    templates: [sessionTemplate] as ResourceTemplate[],
    updates: sessionUpdates,
    events: [
      { prefix: 'session.', description: 'Sessions of MCP clients, and what they subscribe to.', right: 'manage' },
      { prefix: 'token.', description: 'Tokens that are added and removed.', right: 'manage' },
    ],
    retention: retentionOf(parts),
    service: createTokensNow(parts),
    parts,
    partsFor: (principal) =>
      isConfined(principal) ? { ...parts, sessions: ownSessions(parts.sessions, principal) } : parts,
  };
}

function retentionOf({ events, audit }: SystemParts): readonly Retention[] {
  return [
    { what: 'events', forget: (now) => events.prune(now - KEEP_EVENTS_MS) },
    { what: 'audit', forget: (now) => audit.prune(now - KEEP_AUDIT_MS) },
  ];
}

const statusResource: Resource<SystemParts> = {
  uri: STATUS,
  name: 'status',
  title: 'Status of Switchboard',
  description: 'Version, uptime, capabilities, sources, servers and store, as JSON.',
  mimeType: 'application/json',
  ...accessOf(status),
  read: async (context) => JSON.stringify(await context.status.status(context), null, 2),
};

const configResource: Resource<SystemParts> = {
  uri: 'switchboard://config',
  name: 'config',
  title: 'Configuration of Switchboard',
  description: 'The configuration in force, as JSON; secrets are masked.',
  mimeType: 'application/json',
  ...accessOf(showConfig),
  read: async (context) => JSON.stringify(await context.config.masked(), null, 2),
};

const sessionTemplate: ResourceTemplate<SystemParts> = {
  uriTemplate: `${SESSIONS}{id}`,
  name: 'session',
  title: 'A session',
  description: 'One session of an MCP client, as JSON. Subscribe to switchboard://sessions/* to follow all sessions.',
  mimeType: 'application/json',
  ...accessOf(getSession),
  async read(uri, { id = '' }, { sessions }) {
    const session = await sessions.find(id as SessionId);
    if (!session) throw new AppError('NOT_FOUND', 'There is no session with this id.', { field: 'uri' });
    return { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(toSessionView(session), null, 2) };
  },
};

/** Only sessions change by themselves here, and the status counts them; which one it was takes the right to read it. */
function sessionUpdates(event: StoredEvent): readonly ResourceUpdate[] {
  if (!event.type.startsWith('session.')) return [];
  const { subject: session, type, at } = event;
  return [
    { uri: `${SESSIONS}${session}`, fields: { session, type }, data: { session, type, at } },
    {
      uri: STATUS,
      fields: { type },
      data: { type, at },
      details: { ...accessOf(getSession), fields: { session }, data: { session } },
    },
  ];
}

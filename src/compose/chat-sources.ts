import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { SourceDefinition } from '../chat/engine/definition.ts';
import type { SourceRow } from '../chat/ports.ts';
import type { Config } from '../config/schema.ts';
import type { Connection, Connector, Host } from '../connectors/connector.ts';
import { CONNECTORS } from '../connectors/registry.ts';
import { ARCHIVE_FORMATS } from '../domain/archive.ts';

type Configured = NonNullable<Config['sources'][string]>;
type Kind = keyof typeof CONNECTORS;
type SettingsOf<K extends Kind> = Extract<Configured, { kind: K }>;

/** Each connector understands the settings that the configuration has for its kind: otherwise this does not compile. */
const LOADERS: { [K in Kind]: () => Promise<Connector<SettingsOf<K>>> } = CONNECTORS;

/** Kinds that others push messages to. */
const PUSHED: ReadonlySet<string> = new Set(['webhook']);
/** Kinds whose history is what was imported. */
const ARCHIVES: ReadonlySet<string> = new Set(['archive']);
/** Kinds whose exports can be read where they cannot be connected. */
const EXPORTED: ReadonlySet<string> = new Set(ARCHIVE_FORMATS);

/** The sources of the configuration file. What it names by a path is looked for beside it. */
export function configuredSources(sources: Config['sources'], home: string): SourceDefinition[] {
  return Object.entries(sources).map(([id, source]) => fromFile(id, withPath(source, home)));
}

function withPath(source: Configured, home: string): Configured {
  return 'ca' in source && source.ca !== undefined ? { ...source, ca: resolve(home, source.ca) } : source;
}

/** The sources that were added by a command. */
export function storedSources(rows: readonly SourceRow[]): SourceDefinition[] {
  return rows.map(({ id, kind, name, settings }) => ({
    ...withoutConnection(id, kind, name),
    configuredIn: 'store',
    fingerprint: fingerprintOf([kind, name, settings]),
  }));
}

function fromFile(id: string, source: Configured): SourceDefinition {
  const { kind, name = id, keep_days: keepDays } = source;
  const common = {
    ...withoutConnection(id, kind, name),
    configuredIn: 'file',
    ...(keepDays === undefined ? {} : { keepDays }),
    // Of the policy the connection knows nothing.
    fingerprint: fingerprintOf({ ...source, policy: undefined }),
  } as const;
  if (PUSHED.has(kind) || ARCHIVES.has(kind)) return common;
  if (!isConnectable(source)) {
    return { ...common, canStream: false, unavailable: `This version of Switchboard cannot connect to ${kind}.` };
  }
  return {
    ...common,
    canStream: true,
    canSend: true,
    // What would be forgotten at once is not fetched.
    history: {
      days: Math.min(source.history_days, keepDays ?? source.history_days),
      messages: source.history_messages,
    },
    open: (host) => openConnection(source, host),
  };
}

async function openConnection(source: SettingsOf<Kind>, host: Host): Promise<Connection> {
  const connector: Connector<never> = await LOADERS[source.kind]();
  return connector.open(source as never, host);
}

function isConnectable(source: Configured): source is SettingsOf<Kind> {
  return isConnectableKind(source.kind);
}

function isConnectableKind(kind: string): kind is Kind {
  return Object.hasOwn(LOADERS, kind);
}

function withoutConnection(
  id: string,
  kind: string,
  name: string,
): Omit<SourceDefinition, 'configuredIn' | 'fingerprint'> {
  return { id, kind, name, canStream: PUSHED.has(kind), canSend: false, howToConnect: howToConnect(id, kind) };
}

function howToConnect(id: string, kind: string): string {
  if (ARCHIVES.has(kind)) return `Import an export into it: switchboard chat import <format> <path> --source ${id}`;
  if (PUSHED.has(kind)) return `Post messages to it: switchboard chat post --source ${id}`;
  if (isConnectableKind(kind)) {
    return `It connects by itself while Switchboard runs; check sources.${id} in config.yaml, and \`switchboard chat sources\` for what is wrong.`;
  }
  return EXPORTED.has(kind)
    ? `Import an export instead: switchboard chat import ${kind} <path> --source ${id}-archive`
    : 'A newer version of Switchboard may be able to; until then it stays empty.';
}

/** Secrets are among the settings, so only their hash is kept. */
function fingerprintOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

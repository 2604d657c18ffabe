import { createHash } from 'node:crypto';
import { ARCHIVE_FORMATS } from '../domain/archive.ts';
import { withFilePaths } from '../settings.ts';
import type { SourceDefinition } from './engine/definition.ts';
import type { SourceRow } from './ports.ts';
import { connectorSettings, type SourceKind, type SourceSettings } from './source-settings.ts';

/** Kinds that others push messages to. */
const PUSHED: ReadonlySet<string> = new Set(['webhook']);
/** Kinds whose messages are imported. */
const ARCHIVES: ReadonlySet<string> = new Set(['archive']);
/** Kinds without a connector whose exports can be imported. */
const EXPORTED: ReadonlySet<string> = new Set(ARCHIVE_FORMATS);

/** Defines sources from the configuration and the store. `folder` is that of the configuration file. */
export function createSourceDefinitions(kinds: readonly SourceKind[], folder: string) {
  const byKind = new Map(kinds.map((each) => [each.kind, each]));

  function fromFile(id: string, source: SourceSettings): SourceDefinition {
    const { kind, name = id, keep_days: keepDays } = source;
    const common = {
      ...withoutConnection(id, kind, name),
      configuredIn: 'file',
      ...(keepDays === undefined ? {} : { keepDays }),
      // The connection does not depend on the policy.
      fingerprint: fingerprintOf({ ...source, policy: undefined }),
    } as const;
    if (PUSHED.has(kind) || ARCHIVES.has(kind)) return common;
    const network = networkOf(source);
    if (!network) {
      return { ...common, canStream: false, unavailable: `This version of Switchboard cannot connect to ${kind}.` };
    }
    const { history_days: days = 0, history_messages: messages = 0 } = source;
    // Messages that would be deleted immediately are not fetched.
    const history = { days: Math.min(days, keepDays ?? days), messages };
    return { ...common, canStream: true, canSend: true, history, ...network };
  }

  function networkOf(source: SourceSettings): Pick<SourceDefinition, 'open' | 'login' | 'logout'> | undefined {
    const connector = byKind.get(source.kind);
    const { open, login, logout } = connector ?? {};
    if (!connector || !open) return undefined;
    const schema = connector.settings();
    // Its own schema made these settings.
    const settings = withFilePaths(schema, schema.parse(connectorSettings(source)), folder) as never;
    return {
      open: (host) => open(settings, host),
      ...(login ? { login: (host) => login(settings, host) } : {}),
      ...(logout ? { logout: (host) => logout(settings, host) } : {}),
    };
  }

  function withoutConnection(
    id: string,
    kind: string,
    name: string,
  ): Omit<SourceDefinition, 'configuredIn' | 'fingerprint'> {
    return { id, kind, name, canStream: PUSHED.has(kind), canSend: false, howToConnect: howToConnect(id, kind) };
  }

  function howToConnect(id: string, kind: string): string {
    if (ARCHIVES.has(kind)) return `Import an export into it: switchboard chat import <kind> <path> --source ${id}`;
    if (PUSHED.has(kind)) return `Post messages to it: switchboard chat post --source ${id}`;
    const { open, login } = byKind.get(kind) ?? {};
    if (open) {
      const signIn = login ? `, once it is signed in (\`switchboard chat login ${id}\`)` : '';
      return `It connects by itself while Switchboard runs${signIn}; check sources.${id} in config.yaml, and \`switchboard chat sources\` for what is wrong.`;
    }
    return EXPORTED.has(kind)
      ? `Import an export instead: switchboard chat import ${kind} <path> --source ${id}-archive`
      : 'A newer version of Switchboard may be able to; until then it stays empty.';
  }

  return {
    /** The sources of the configuration file. */
    configured: (sources: Readonly<Record<string, SourceSettings>>): SourceDefinition[] =>
      Object.entries(sources).map(([id, source]) => fromFile(id, source)),
    /** The sources that were added by a command. */
    stored: (rows: readonly SourceRow[]): SourceDefinition[] =>
      rows.map(({ id, kind, name, settings }) => ({
        ...withoutConnection(id, kind, name),
        configuredIn: 'store',
        fingerprint: fingerprintOf([kind, name, settings]),
      })),
  };
}

/** Only a hash is stored, because the settings contain secrets. */
function fingerprintOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

import { broken, type Finding, ok, warning } from '../domain/finding.ts';
import { examined } from './examined.ts';
import { examineDisk, examineHome } from './files.ts';

/** The probes of doctor. Each may fail with an AppError that states what is wrong. */
export interface Probes {
  home: string;
  /** Of Node and of this program. */
  versions: { node: string; program: string };
  config(): Promise<ConfigState>;
  /** Nothing where there is no store yet. */
  store(): Promise<{ location: string; schema: number; newest: number; problems: readonly string[] } | undefined>;
  /** The provider of the master key. */
  secrets(): Promise<string>;
  /** Nothing where none runs. */
  daemon(): Promise<{ version: string; pid: number; kind: string; url?: string } | undefined>;
  /** The probes of the capabilities, by the name of the check. */
  declared: readonly { check: string; examine(): Promise<readonly Finding[]> }[];
}

export interface ConfigState {
  file: string | null;
  warnings: readonly string[];
  /** Keys of secrets that are in the file as plain text. */
  plainSecrets: readonly string[];
  /** Whether another user of the machine can change the file. */
  isOpenToOthers: boolean;
  /** How long the owner's token is, where there is one. */
  ownerToken?: number;
  /** Tokens with scopes. */
  tokens: number;
}

const CHECK_CONFIG = '`switchboard config validate` checks it again.';
const NEEDED_NODE = 24;
const SHORTEST_TOKEN = 20;

/** Runs every probe separately, so that one failure does not hide another. */
export async function examine(probes: Probes): Promise<readonly Finding[]> {
  const { home, versions } = probes;
  const findings = await Promise.all([
    examineNode(versions.node),
    examined('home', () => examineHome(home)),
    examined('config', async () => examineConfig(await probes.config()), CHECK_CONFIG),
    examined('store', async () => examineStore(await probes.store())),
    examined('secrets', async () => [ok('secrets', await probes.secrets())]),
    examined('daemon', async () => examineDaemon(await probes.daemon(), versions.program)),
    ...probes.declared.map(({ check, examine: look }) => examined(check, look)),
    examined('disk', () => examineDisk(home)),
  ]);
  return findings.flat();
}

function examineNode(node: string): readonly Finding[] {
  if (Number.parseInt(node, 10) >= NEEDED_NODE) return [ok('node', node)];
  return [broken('node', `Node ${node} is too old.`, `Install Node ${NEEDED_NODE} or newer.`)];
}

function examineConfig(state: ConfigState): readonly Finding[] {
  const { file, warnings, plainSecrets, isOpenToOthers, ownerToken, tokens } = state;
  return [
    ok('config', file ?? 'There is no file; everything has its default.'),
    ...warnings.map((text) => warning('config', text, 'Change that place in the configuration.')),
    ...plainSecrets.map((key) =>
      warning(
        'config',
        `${key} stands in the file as it is.`,
        `\`switchboard secret set NAME\` keeps it encrypted; the file then says \${secret:NAME}.`,
      ),
    ),
    ...(isOpenToOthers
      ? [
          warning(
            'config',
            'Other users of this machine can change the file.',
            `\`chmod go-w ${file}\`, and own it yourself.`,
          ),
        ]
      : []),
    examineTokens(ownerToken, tokens),
  ];
}

function examineTokens(ownerToken: number | undefined, tokens: number): Finding {
  if (ownerToken !== undefined && ownerToken < SHORTEST_TOKEN) {
    return warning('tokens', 'auth.token is so short that it can be guessed.', 'Take 32 random bytes or more.');
  }
  if (ownerToken === undefined && tokens === 0) {
    return ok('tokens', 'The configuration has none. Without any, HTTP serves only processes of this user.');
  }
  return ok('tokens', 'Whoever calls over HTTP needs one.');
}

function examineStore(store: Awaited<ReturnType<Probes['store']>>): readonly Finding[] {
  if (!store) return [ok('store', 'There is none yet; it is made when it is needed.')];
  const { location, schema, newest, problems } = store;
  const mend = '`switchboard db check` says more; `switchboard db restore` puts a backup in its place.';
  if (problems.length > 0) return [broken('store', [location, ...problems].join('\n'), mend)];
  const pending = schema < newest ? `; it is brought to ${newest} at the next start` : '';
  return [ok('store', `${location}, schema ${schema}${pending}`)];
}

function examineDaemon(daemon: Awaited<ReturnType<Probes['daemon']>>, version: string): readonly Finding[] {
  if (!daemon) return [ok('daemon', 'None runs; whatever needs one starts it, unless daemon.autostart is false.')];
  const place = daemon.url === undefined ? '' : `, at ${daemon.url}`;
  const says = `Process ${daemon.pid} (${daemon.kind}), version ${daemon.version}${place}`;
  if (daemon.version === version) return [ok('daemon', says)];
  return [
    warning('daemon', `${says}; this program is ${version}.`, 'End that process; the next one is of this version.'),
  ];
}

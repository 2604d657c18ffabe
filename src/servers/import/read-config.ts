import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { userHomeIn } from '../../lib/home-path.ts';
import { isRecord } from '../../lib/is-record.ts';
import { createDraft, type DraftInput, fill, type ServerDraft } from '../draft/draft.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import { hasReference } from '../draft/reference.ts';
import { cut, inputKey } from '../registries/texts.ts';
import { type ConfigEntry, readConfigEntry, readInputDefinitions, transportOf } from './config-entry.ts';
import { entryTexts } from './entry-texts.ts';
import { readEnvFile } from './places.ts';
import { readJsonc } from './read-jsonc.ts';
import { remoteFields } from './remote-entry.ts';
import { isSwitchboard, SECRET_ARGUMENT, stdioFields } from './stdio-entry.ts';
import { NotImportable, type SubstitutionContext } from './substitute.ts';

export interface ReadServersOptions {
  /** Where the text was read; folders and files in it are relative to that. */
  path?: string;
  /** Whose file it is, as it is recorded; default: recognised by the path. */
  program?: string;
  /** The environment that references to variables are replaced from. */
  env?: Readonly<Record<string, string | undefined>>;
  userHome?: string;
  /** Reads an `envFile`; undefined when it cannot be read. */
  readText?(path: string): string | undefined;
}

export interface ImportedServers {
  drafts: readonly ServerDraft[];
  /** Servers that were not imported, and why. */
  skipped: readonly { name: string; reason: string }[];
  /** What any of the drafts needs, each key once. */
  inputs: readonly DraftInput[];
}

interface FoundEntry {
  name: string;
  value: unknown;
  workspaceFolder: string | undefined;
}

const MAX_SERVERS = 500;

/** The servers in the configuration of another program. Nothing that it names is run. */
export function readServers(text: string, options: ReadServersOptions = {}): ImportedServers {
  const { path, env = process.env, userHome = userHomeIn(process.env), readText = readEnvFile } = options;
  const program = options.program ?? programOf(path);
  const root = readJsonc(text, path ?? 'The configuration');
  const inputs = inputDefinitions(root);
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  const drafts = new Map<string, ServerDraft>();
  const skipped: { name: string; reason: string }[] = [];

  for (const { name, value, workspaceFolder } of entriesIn(root, workspaceOf(path, userHome)).slice(0, MAX_SERVERS)) {
    try {
      const substitution = { env, userHome, workspaceFolder, inputs };
      const draft = toDraft(name, value, { program, folder, substitution, readText });
      // Projects often have the same server.
      const key = JSON.stringify({ ...draft, cwd: undefined });
      if (!drafts.has(key)) drafts.set(key, draft);
    } catch (thrown) {
      const isOurs = thrown instanceof NotImportable || thrown instanceof AppError;
      if (!isOurs) throw thrown;
      // An AppError is about a default or a variable, whose name is not ours.
      const reason = thrown instanceof NotImportable ? thrown.message : 'one of its values does not fit';
      skipped.push({ name: cut(name, 100), reason });
    }
  }
  const needed = new Map([...drafts.values()].flatMap((draft) => draft.inputs.map((input) => [input.key, input])));
  return { drafts: [...drafts.values()], skipped, inputs: [...needed.values()] };
}

interface EntryContext {
  program: string;
  folder: string;
  substitution: SubstitutionContext;
  readText(path: string): string | undefined;
}

function toDraft(name: string, value: unknown, { program, folder, substitution, readText }: EntryContext): ServerDraft {
  const entry = readConfigEntry(value);
  if (name.trim() === '') throw new NotImportable('it has no name');
  if (entry === undefined) throw new NotImportable('its entry is malformed');
  if (isSwitchboard(name, entry)) throw new NotImportable('it is Switchboard itself');
  const transport = transportOf(entry);
  if (transport === 'other') throw new NotImportable('its transport is not supported');
  const texts = entryTexts(substitution);
  const { workspaceFolder } = substitution;
  const { fields, answers } =
    transport === 'stdio'
      ? { fields: stdioFields(entry, texts, { folder, workspaceFolder, readText }), answers: {} }
      : remoteFields(entry, transport, texts);
  if (texts.places.some((place) => isArgument(place) && texts.hasSecret(place.text))) {
    throw new NotImportable(SECRET_ARGUMENT);
  }
  const draft = createDraft(
    { name: cut(name, 100), source: { type: 'import', program }, ...commonFields(entry), ...fields },
    { inputs: [...texts.inputs.values()], places: texts.places },
  );
  const values = [...Object.values(draft.env_vars ?? {}), ...Object.values(draft.headers ?? {})];
  // References of the file are replaced here. What is left would be replaced at the start, by any stored secret.
  if (values.some(({ value }) => hasReference(value ?? ''))) {
    throw new NotImportable('it has a reference that is not supported');
  }
  return fill(draft, answers);
}

/** What other programs of this machine can read, and what is saved as it is. */
function isArgument(place: DraftPlace): boolean {
  return place.in === 'args' || place.in === 'runtime_args' || place.in === 'command' || place.in === 'cwd';
}

function commonFields({ disabled, enabled, disabledTools }: ConfigEntry): Pick<ServerDraft, 'enabled' | 'tools'> {
  return {
    enabled: !(disabled === true || enabled === false),
    ...(disabledTools && disabledTools.length > 0 ? { tools: { deny: disabledTools } } : {}),
  };
}

/** `mcpServers` of most programs, `servers` and `mcp.servers` of VS Code, and those of the projects of Claude Code. */
function entriesIn(root: Record<string, unknown>, workspaceFolder: string | undefined): readonly FoundEntry[] {
  const settings = isRecord(root.mcp) ? root.mcp : {};
  const own = [root.mcpServers, root.servers, settings.servers].flatMap((group) => named(group, workspaceFolder));
  const projects = isRecord(root.projects) ? Object.entries(root.projects) : [];
  return [
    ...own,
    ...projects.flatMap(([project, value]) =>
      isRecord(value) && isAbsolute(project) ? named(value.mcpServers, project) : [],
    ),
  ];
}

function named(group: unknown, workspaceFolder: string | undefined): readonly FoundEntry[] {
  return isRecord(group) ? Object.entries(group).map(([name, value]) => ({ name, value, workspaceFolder })) : [];
}

function inputDefinitions(root: Record<string, unknown>): ReadonlyMap<string, DraftInput | 'command'> {
  const settings = isRecord(root.mcp) ? root.mcp : {};
  const definitions = [...readInputDefinitions(settings.inputs), ...readInputDefinitions(root.inputs)];
  return new Map(
    definitions.map((definition): [string, DraftInput | 'command'] => {
      const { id, type, description, password = false, options } = definition;
      if (type !== 'promptString' && type !== 'pickString') return [id, 'command'];
      const input: DraftInput = {
        key: inputKey(id),
        kind: 'variable',
        required: true,
        secret: password,
        ...(description ? { description: cut(description, 300) } : {}),
        ...(definition.default ? { default: definition.default } : {}),
        ...(options && options.length > 0 ? { choices: options } : {}),
      };
      return [id, input];
    }),
  );
}

/** The folder that a file of a project belongs to. */
function workspaceOf(path: string | undefined, userHome: string): string | undefined {
  if (path === undefined) return undefined;
  const folder = dirname(resolve(path));
  if (basename(path) === '.mcp.json') return folder;
  const isOfProject = /^\.(vscode|cursor)$/.test(basename(folder)) && dirname(folder) !== resolve(userHome);
  return isOfProject ? dirname(folder) : undefined;
}

function programOf(path = ''): string {
  if (/claude_desktop_config\.json$/.test(path)) return 'claude-desktop';
  if (/\.claude\.json$|(^|\/)\.mcp\.json$/.test(path)) return 'claude-code';
  if (/\.cursor\/mcp\.json$/.test(path)) return 'cursor';
  if (/\.vscode\/mcp\.json$|\/User\/(mcp|settings)\.json$/.test(path)) return 'vscode';
  return /mcp_config\.json$/.test(path) ? 'windsurf' : 'mcp.json';
}

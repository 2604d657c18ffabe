import { join } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';
import { AppError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Clock } from '../lib/clock.ts';
import { isRecord } from '../lib/is-record.ts';
import { version } from '../lib/version.ts';
import { agentmailCommand, canHaveMail, hooksFile, hooksOf, setHooks } from './agent-mail.ts';
import { changeFile } from './change-file.ts';
import { claudeSettingsFile, enablePlugin, pluginCommands, pluginFiles, pluginFolder } from './claude-plugin.ts';
import { setJsonEntry } from './json-entry.ts';
import { NotJson } from './jsonc.ts';
import { type AssistantEnvironment, configurationFile } from './places.ts';
import { setTomlEntry, type TomlEntry } from './toml-entry.ts';
import { NotToml } from './toml-statements.ts';
import { WrongShape } from './wrong-shape.ts';

interface Parts extends AssistantEnvironment {
  clock: Clock;
  /** Node and our program, with absolute paths: assistants start us without a shell and with a minimal PATH. */
  node: string;
  program: string;
  /** The home, where it is not the usual one. */
  home?: string;
}

interface Connection {
  assistant: Assistant;
  name: string;
  only: readonly string[];
  agentmail: boolean;
}

/** The configuration files of assistants. */
export function assistantsPort(parts: Parts) {
  return {
    async preview(connection: Connection) {
      const [first, ...others] = filesFor(parts, connection);
      const more = others.map(({ path, change }) => `\n# ${path}\n${change('').trimEnd()}`);
      return { path: first.path, text: [first.change('').trimEnd(), ...more].join('\n') };
    },

    async connect(connection: Connection): Promise<Changed & { agentmail?: { files: Changed[]; next?: string } }> {
      const [first, ...others] = filesFor(parts, connection);
      const write = ({ path, change }: ChangeOfFile) =>
        changeFile(path, parts.clock.now(), (text) => readably(path, () => change(text)));
      const connected = await write(first);
      if (!connection.agentmail) return connected;
      const files: Changed[] = [];
      for (const file of others) files.push(await write(file));
      return { ...connected, agentmail: { files, ...nextStep(parts, connection.assistant) } };
    },
  };
}

type Changed = Awaited<ReturnType<typeof changeFile>>;

interface ChangeOfFile {
  path: string;
  change(text: string): string;
}

/** Each file once, so that its backup is from before all changes. */
function filesFor(parts: Parts, connection: Connection): [ChangeOfFile, ...ChangeOfFile[]] {
  const path = configurationFile(connection.assistant, parts);
  const mail = mailFiles(parts, connection);
  const entry = changeFor(parts, connection);
  const inSameFile = mail.find((file) => file.path === path)?.change ?? ((text) => text);
  return [{ path, change: (text) => inSameFile(entry(text)) }, ...mail.filter((file) => file.path !== path)];
}

function changeFor(parts: Parts, { assistant, name, only }: Connection): (text: string) => string {
  const entry = entryFor(parts, only);
  return (text) => {
    if (assistant === 'codex') return setTomlEntry(text, name, entry);
    return setJsonEntry(text, sectionOf(assistant), name, (existing) => jsonEntry(assistant, entry, existing));
  };
}

/** The other files of agent mail, in an order in which every step finds what it needs. */
function mailFiles(parts: Parts, { assistant, agentmail: isWanted }: Connection): ChangeOfFile[] {
  if (!isWanted) return [];
  if (!canHaveMail(assistant)) {
    throw new AppError('VALIDATION_ERROR', `${assistant} has no hooks that agent mail could use.`, {
      field: 'agentmail',
      hint: 'Without --agentmail it is connected all the same, and has the tools of agent mail.',
    });
  }
  const agentmail = agentmailCommand(parts.node, parts.program);
  if (assistant !== 'claude-code') {
    return [{ path: hooksFile(assistant, parts), change: (text) => setHooks(text, hooksOf(assistant, agentmail)) }];
  }
  const home = homeOf(parts);
  const files = Object.entries(pluginFiles(agentmail, version()));
  return [
    ...files.map(([path, content]) => ({ path: join(pluginFolder(home), path), change: () => content })),
    { path: claudeSettingsFile(parts), change: (text) => enablePlugin(text, home) },
  ];
}

function nextStep(parts: Parts, assistant: Assistant): { next?: string } {
  if (assistant === 'codex')
    return { next: 'Codex runs hooks only when they are trusted: look at them with /hooks in Codex.' };
  if (assistant !== 'claude-code') return {};
  const commands = pluginCommands(homeOf(parts)).join(' && ');
  return { next: `Where /plugin in Claude Code does not list agentmail as enabled: ${commands}` };
}

function homeOf({ home, userHome }: Parts): string {
  return home ?? join(userHome, '.switchboard');
}

function entryFor({ node, program, home }: Parts, only: readonly string[]): TomlEntry {
  return {
    command: node,
    args: [program, 'mcp', ...(only.length === 0 ? [] : ['--only', only.join(',')])],
    env: home === undefined ? {} : { SWITCHBOARD_HOME: home },
  };
}

function sectionOf(assistant: Assistant): string {
  return assistant === 'vscode' ? 'servers' : 'mcpServers';
}

/** Keys that the user added to our entry are kept, unless the entry is of another kind. */
function jsonEntry(assistant: Assistant, { command, args, env }: TomlEntry, existing: Json | undefined): JsonObject {
  const before = isRecord(existing) && typeof existing.command === 'string' ? existing : {};
  const { SWITCHBOARD_HOME: _, ...variables } = isRecord(before.env) ? before.env : {};
  const allVariables = { ...variables, ...env };
  const { env: __, ...others } = before;
  return {
    ...(assistant === 'claude-code' || assistant === 'vscode' ? { type: 'stdio' } : {}),
    ...others,
    command,
    args: [...args],
    ...(Object.keys(allVariables).length === 0 ? {} : { env: allVariables }),
  };
}

/** A file that cannot be read, or is not what it should be, is never touched. */
function readably(path: string, change: () => string): string {
  const hint = 'Fix the file there, or add the entry by hand: `--print` shows it.';
  try {
    return change();
  } catch (cause) {
    if (cause instanceof NotJson || cause instanceof NotToml) {
      const language = cause instanceof NotJson ? 'JSON' : 'TOML';
      throw new AppError('CONFLICT', `${path} is not ${language} at line ${cause.line}; it was left as it is.`, {
        hint,
      });
    }
    if (cause instanceof WrongShape) {
      throw new AppError('CONFLICT', `${cause.place} in ${path} is not as it is changed here; it was left as it is.`, {
        hint,
      });
    }
    throw cause;
  }
}

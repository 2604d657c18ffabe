import type { Assistant } from '../domain/assistant.ts';
import { AppError } from '../domain/errors.ts';
import type { Json, JsonObject } from '../domain/json.ts';
import type { Clock } from '../lib/clock.ts';
import { changeFile } from './change-file.ts';
import { setJsonEntry } from './json-entry.ts';
import { NotJson } from './jsonc.ts';
import { configurationFile, type Surroundings } from './places.ts';
import { setTomlEntry, showTomlEntry, type TomlEntry } from './toml-entry.ts';
import { NotToml } from './toml-statements.ts';
import { WrongShape } from './wrong-shape.ts';

interface Parts extends Surroundings {
  clock: Clock;
  /** Node and our program, each with its whole path: assistants start us without a shell and with hardly a PATH. */
  node: string;
  program: string;
  /** The home, where it is not the usual one. */
  home?: string;
}

interface Connection {
  assistant: Assistant;
  name: string;
  only: readonly string[];
}

/** The configuration files of assistants. */
export function assistantsPort(parts: Parts) {
  return {
    async preview({ assistant, name, only }: Connection) {
      const entry = entryFor(parts, only);
      const path = configurationFile(assistant, parts);
      if (assistant === 'codex') return { path, text: showTomlEntry(name, entry).trimEnd() };
      const text = setJsonEntry('', sectionOf(assistant), name, () => jsonEntry(assistant, entry, undefined));
      return { path, text: text.trimEnd() };
    },

    async connect({ assistant, name, only }: Connection) {
      const entry = entryFor(parts, only);
      const path = configurationFile(assistant, parts);
      const change = (text: string) =>
        assistant === 'codex'
          ? setTomlEntry(text, name, entry)
          : setJsonEntry(text, sectionOf(assistant), name, (existing) => jsonEntry(assistant, entry, existing));
      return changeFile(path, parts.clock.now(), (text) => readably(path, () => change(text)));
    },
  };
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

/** What a person added to our entry stays, as long as it is one of a program that is started. */
function jsonEntry(assistant: Assistant, { command, args, env }: TomlEntry, existing: Json | undefined): JsonObject {
  const before = isObject(existing) && typeof existing.command === 'string' ? existing : {};
  const { SWITCHBOARD_HOME: _, ...variables } = isObject(before.env) ? before.env : {};
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

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A file that cannot be read, or is not what it should be, is never touched. */
function readably(path: string, change: () => string): string {
  const hint = 'Mend that place, or put the entry in by hand: `--print` shows it.';
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

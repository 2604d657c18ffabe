import { existsSync } from 'node:fs';
import { readFile, rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Assistant } from '../domain/assistant.ts';
import { AppError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { canHaveMail } from './agent-mail.ts';
import { type ChangedFile, changeFile, isReadableByOthers } from './change-file.ts';
import { pluginCommands, pluginFolder } from './claude-plugin.ts';
import { entryPart } from './file-parts.ts';
import { type AssistantFile, assertStableHooks, type Connection, filesOf, homeOf, type Installation } from './files.ts';
import { NotJson } from './jsonc.ts';
import { configurationFile } from './places.ts';
import { installedAssistants, needsOf, titleOf } from './programs.ts';
import { NotToml } from './toml-statements.ts';
import { undoFile } from './undo-file.ts';
import { WrongShape } from './wrong-shape.ts';

interface Connected extends ChangedFile {
  notes: string[];
  agentmail?: { files: ChangedFile[]; next?: string };
}

interface Parts extends Installation {
  clock: Clock;
}

/** The configuration files of assistants. */
export function assistantsPort(parts: Parts) {
  const { clock } = parts;
  const write = (file: AssistantFile) =>
    changeFile(file.path, clock.now(), (text) => readably(file.path, () => changed(file, text)));

  return {
    async preview(connection: Connection) {
      const [first, ...others] = await filesOf(parts, connection);
      const more = others.map((file) => `\n# ${file.path}\n${changed(file, '').trimEnd()}`);
      return { path: first.path, text: [changed(first, '').trimEnd(), ...more].join('\n') };
    },

    /** Fails where `connect` would, without changing anything. */
    async check(connection: Connection): Promise<void> {
      const [{ path, ...file }] = await filesOf(parts, connection);
      const text = await readFile(path, 'utf8').catch(() => '');
      readably(path, () => changed({ path, ...file } as AssistantFile, text));
    },

    async connect(connection: Connection): Promise<Connected> {
      if (connection.agentmail) assertStableHooks(parts);
      const [first, ...others] = await filesOf(parts, connection);
      const connected = await write(first);
      const isNewFile = connected.changed && connected.backup === undefined;
      const notes = [
        ...(connected.changed ? needsOf(connection.assistant, { isNewFile }) : []),
        ...(connection.http && (await isReadableByOthers(first.path)) ? [readableNote(first.path)] : []),
      ];
      if (!connection.agentmail) return { ...connected, notes };
      const files: ChangedFile[] = [];
      for (const file of others) files.push(await write(file));
      return { ...connected, notes, agentmail: { files, ...nextStep(parts, connection.assistant) } };
    },

    /** Takes out the entry, and the hooks of agent mail where they are to go too. */
    async remove({ assistant, name, agentmail }: Pick<Connection, 'assistant' | 'name' | 'agentmail'>) {
      const hasMail = agentmail && canHaveMail(assistant);
      const [first, ...others] = await filesOf(parts, { assistant, name, only: [], agentmail: hasMail });
      const undo = (file: AssistantFile): Promise<ChangedFile> =>
        file.kind === 'own'
          ? removeOwn(file.path)
          : readablyLater(file.path, () => undoFile(file.path, clock.now(), file.parts));
      const hadToken = (await readFile(first.path, 'utf8').catch(() => '')).includes(OUR_TOKEN);
      const files = [await undo(first)];
      for (const file of others) files.push(await undo(file));
      if (assistant === 'claude-code' && hasMail) await removeEmptyFolders(others, pluginFolder(homeOf(parts)));
      if (!existsSync(first.path)) await removeEmptyParents(first.path, parts.userHome);
      const [entry = { path: first.path, changed: false }, ...more] = files;
      return { ...entry, hadToken, files: more.filter((file) => file.changed) };
    },

    /** The assistants that are there, and whether they have an entry of this name. */
    async find(name: string) {
      const found = installedAssistants(parts).map(async (assistant) => {
        const path = configurationFile(assistant, parts);
        return { assistant, title: titleOf(assistant), path, connected: await hasEntry(assistant, name, path) };
      });
      return Promise.all(found);
    },
  };
}

/** How a header with one of our tokens begins. */
const OUR_TOKEN = 'Bearer swb_';

async function hasEntry(assistant: Assistant, name: string, path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const part = await entryPart(assistant, name, { kind: 'http', url: '', headers: {} });
  try {
    return part.has(text);
  } catch {
    return false;
  }
}

function changed(file: AssistantFile, text: string): string {
  return file.kind === 'own' ? file.content : file.parts.reduce((before, part) => part.set(before), text);
}

async function removeOwn(path: string): Promise<ChangedFile> {
  try {
    await rm(path);
    return { path, changed: true };
  } catch {
    return { path, changed: false };
  }
}

/** The folders that were created for a file. */
async function removeEmptyParents(path: string, top: string): Promise<void> {
  try {
    for (let folder = dirname(path); folder.startsWith(`${top}/`); folder = dirname(folder)) await rmdir(folder);
  } catch {
    // Something else is in it, or it is gone.
  }
}

/** Deepest first; a folder with something else in it stays. */
async function removeEmptyFolders(files: readonly AssistantFile[], top: string): Promise<void> {
  const folders = new Set([top]);
  for (const { path } of files) {
    for (let folder = dirname(path); folder.startsWith(`${top}/`); folder = dirname(folder)) folders.add(folder);
  }
  for (const folder of [...folders].sort((a, b) => b.length - a.length)) await rmdir(folder).catch(() => {});
}

function nextStep(parts: Parts, assistant: Assistant): { next?: string } {
  if (assistant === 'codex')
    return { next: 'Codex runs hooks only when they are trusted: look at them with /hooks in Codex.' };
  if (assistant !== 'claude-code') return {};
  const commands = pluginCommands(homeOf(parts)).join(' && ');
  return { next: `Where /plugin in Claude Code does not list agentmail as enabled: ${commands}` };
}

function readableNote(path: string): string {
  return `Other users of this machine can read ${path}, which has a token now: chmod 600 it.`;
}

/** A file that cannot be read, or is not what it should be, is never touched. */
function readably<T>(path: string, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    throw notReadable(path, cause);
  }
}

async function readablyLater<T>(path: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change();
  } catch (cause) {
    throw notReadable(path, cause);
  }
}

function notReadable(path: string, cause: unknown): unknown {
  const hint = 'Fix the file there, or change the entry by hand: `--print` shows it.';
  const language = languageOf(cause);
  if (language) {
    const { line } = cause as NotJson;
    return new AppError('CONFLICT', `${path} is not ${language} at line ${line}; it was left as it is.`, { hint });
  }
  if (!(cause instanceof WrongShape)) return cause;
  return new AppError('CONFLICT', `${cause.place} in ${path} is not as it is changed here; it was left as it is.`, {
    hint,
  });
}

function languageOf(cause: unknown): string | undefined {
  if (cause instanceof NotJson) return 'JSON';
  if (cause instanceof NotToml) return 'TOML';
  // Its module is loaded only with the parser of YAML.
  return cause instanceof Error && cause.message === 'not YAML' ? 'YAML' : undefined;
}

import { basename, isAbsolute, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ConfiguredValue, ServerPackage } from '../../domain/server-config.ts';
import type { ServerDraft } from '../draft/draft.ts';
import { isEnvName } from '../draft/package-names.ts';
import { hasSecretArgument, isSecretName, isSecretValue } from '../draft/secret-names.ts';
import type { ConfigEntry } from './config-entry.ts';
import { decodePieces, encodePieces, type entryTexts } from './entry-texts.ts';
import { knownCommand } from './known-command.ts';
import { NotImportable, plainText } from './substitute.ts';

type Texts = ReturnType<typeof entryTexts>;
type StdioFields = Pick<ServerDraft, 'package' | 'transport' | 'args' | 'env_vars'> & { cwd?: string };

const MAX_VARIABLES = 500;
export const SECRET_ARGUMENT =
  'it takes a secret as an argument, where other programs can read it; use a variable instead';

interface StdioContext {
  /** The folder of the configuration file. */
  folder: string;
  workspaceFolder?: string | undefined;
  readText(path: string): string | undefined;
}

/** The fields of a server that is started by a command. */
export function stdioFields(entry: ConfigEntry, texts: Texts, context: StdioContext): StdioFields {
  const command = texts.single(entry.command ?? '', 'command');
  if (command.trim() === '') throw new NotImportable('it has no command');
  const ofFile = variablesOfFile(entry, texts, context);
  const own = { ...ofFile, ...entry.env };
  const secretArguments = new Set<string>();
  const vector = entry.args.map((argument) => {
    const { pieces, hasSecret } = readArgument(argument, own, texts);
    const encoded = encodePieces(pieces);
    if (hasSecret) secretArguments.add(encoded);
    return encoded;
  });
  const isOpen = texts.places.some((place) => place.in === 'command');
  const known = isOpen ? undefined : knownCommand(command, vector);
  const rest = [...(known?.package.runtime_args ?? []), ...(known?.args ?? vector)];
  if (rest.some((argument) => secretArguments.has(argument)) || hasSecretArgument(rest)) {
    throw new NotImportable(SECRET_ARGUMENT);
  }
  const cwd = entry.cwd === undefined ? context.workspaceFolder : workingFolder(entry.cwd, texts, context);
  const passed = (known?.passed ?? []).filter((name) => !Object.hasOwn(own, name));
  const env = { ...Object.fromEntries(passed.map((name) => [name, `\${${name}}`])), ...entry.env };
  return {
    package: withPlaces(known?.package ?? { type: 'binary', identifier: located(command, cwd) }, texts),
    transport: { type: 'stdio' },
    args: placedArguments('args', known?.args ?? vector, texts),
    env_vars: {
      ...withoutRemoved(ofFile, entry.env),
      ...variables(env, texts),
      ...decodedVariables(known?.env ?? {}, secretArguments, texts),
    },
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** A reference to a variable of the entry itself is for the server, which replaces it. */
function readArgument(argument: string, own: Readonly<Record<string, unknown>>, texts: Texts) {
  if (argument.includes('\0')) throw new NotImportable('it has a NUL character in a value');
  const names = [...argument.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name);
  const isOwn = names.length > 0 && names.every((name) => Object.hasOwn(own, name));
  return isOwn ? { pieces: [argument], hasSecret: false } : texts.read(argument, 'argument');
}

function variables(env: Readonly<Record<string, string | null>>, texts: Texts): Record<string, ConfiguredValue> {
  const entries = Object.entries(env).flatMap(([name, text]): [string, ConfiguredValue][] => {
    if (!isEnvName(name)) throw new NotImportable('one of its variables has a malformed name');
    // VS Code removes a variable by null.
    if (text === null) return [];
    const value = texts.value('env', name, text, isSecretName(name));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** Variables that were among the arguments, whose references are already replaced. */
function decodedVariables(
  env: Readonly<Record<string, string>>,
  secretArguments: ReadonlySet<string>,
  texts: Texts,
): Record<string, ConfiguredValue> {
  const entries = Object.entries(env).flatMap(([name, encoded]): [string, ConfiguredValue][] => {
    const pieces = decodePieces(encoded);
    const value = plainText(pieces);
    const isSecret =
      isSecretName(name) || [...secretArguments].some((argument) => argument.endsWith(`${name}=${encoded}`));
    if (value !== undefined) return [[name, { value, is_secret: isSecret }]];
    for (const piece of pieces) {
      const input = typeof piece === 'string' ? undefined : texts.inputs.get(piece.input);
      if (input) texts.add(input, 'env', isSecret);
    }
    texts.places.push({ in: 'env', name, text: pieces, required: true });
    return [];
  });
  return Object.fromEntries(entries);
}

function placedArguments(list: 'args' | 'runtime_args', encoded: readonly string[], texts: Texts): readonly string[] {
  const isPlain = encoded.every((argument) => !argument.includes('\0'));
  if (!isPlain) texts.places.push(...encoded.map((argument) => ({ in: list, text: decodePieces(argument) })));
  return isPlain ? encoded : [];
}

function withPlaces(found: ServerPackage, texts: Texts): ServerPackage {
  const { runtime_args: runtimeArgs, ...rest } = found;
  return runtimeArgs === undefined
    ? rest
    : { ...rest, runtime_args: placedArguments('runtime_args', runtimeArgs, texts) };
}

function workingFolder(text: string, texts: Texts, { workspaceFolder, folder }: StdioContext): string {
  const cwd = texts.single(text, 'cwd');
  return texts.places.some((place) => place.in === 'cwd') ? cwd : resolve(workspaceFolder ?? folder, cwd);
}

/** `./server` is relative to the working directory; a name without a slash is found in PATH. */
function located(command: string, cwd: string | undefined): string {
  if (isAbsolute(command) || !command.includes('/') || cwd === undefined || cwd.includes('{')) return command;
  return resolve(cwd, command);
}

/** A file with variables beside the configuration. */
function variablesOfFile(entry: ConfigEntry, texts: Texts, context: StdioContext): Record<string, ConfiguredValue> {
  if (entry.envFile === undefined) return {};
  const path = plainText(texts.read(entry.envFile, 'variable').pieces);
  const text =
    path === undefined ? undefined : context.readText(resolve(context.workspaceFolder ?? context.folder, path));
  if (text === undefined) throw new NotImportable('its envFile cannot be read');
  // Its values are as they are: no reference in them is replaced.
  const entries = Object.entries(parseEnv(text)).flatMap(([name, value]): [string, ConfiguredValue][] =>
    value && isEnvName(name) ? [[name, { value, is_secret: isSecretName(name) || isSecretValue(value) }]] : [],
  );
  return Object.fromEntries(entries.slice(0, MAX_VARIABLES));
}

function withoutRemoved(
  ofFile: Readonly<Record<string, ConfiguredValue>>,
  env: Readonly<Record<string, string | null>>,
): Record<string, ConfiguredValue> {
  return Object.fromEntries(Object.entries(ofFile).filter(([name]) => !Object.hasOwn(env, name)));
}

/** Whether the entry starts this program, which must not start itself. */
export function isSwitchboard(name: string, entry: ConfigEntry): boolean {
  if (name.toLowerCase() === 'switchboard') return true;
  const words = [entry.command ?? '', ...entry.args.slice(0, 3)];
  return words.some((word, index) => {
    if (/(^|\/)agent-switchboard(@[\w.-]+)?(\/|$)/.test(word)) return true;
    return index === 0 && /^(switchboard|agentmail)$/.test(basename(word));
  });
}

import { resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import type { ServerPackage } from '../../domain/server-config.ts';
import { imageOf, knownCommand, packageOf } from '../import/known-command.ts';
import { createDraft, type DraftInput, fill, type ServerDraft } from './draft.ts';
import { isHttpAddress } from './draft-url.ts';
import { isEnvName, isImageName, isNpmName } from './package-names.ts';
import { isSecretName, isSecretValue } from './secret-names.ts';
import { withoutQuerySecrets } from './secret-query.ts';
import { splitWords, type Word } from './words.ts';

const MAX_LINE = 10_000;

interface Recognised {
  package: ServerPackage;
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  passed?: readonly string[];
}

/**
 * A server from one line: a URL, `npx …`, `uvx …`, `docker run …`, the path of a program with arguments, or the name of an
 * image. Variables may be written before a command: `TOKEN=x npx …`. No shell reads it. `cwd` is where it was typed: `./server`
 * is there.
 */
export function parseServerLine(line: string, { cwd }: { cwd?: string } = {}): ServerDraft {
  if (line.length > MAX_LINE) throw wrong(`The command is longer than ${MAX_LINE} characters.`);
  const words = splitWords(line);
  if (words === undefined) throw wrong('The command has a quote that is not closed.');
  const start = words.findIndex((word) => !isAssignment(word));
  const command = words.slice(start < 0 ? words.length : start);
  const [first] = command;
  if (first === undefined) throw wrong('The command is empty.');
  const isUrl = /^https?:\/\//i.test(first.text);
  // An address may have `&` in it.
  if (words.some((word) => word.isOperator && !(isUrl && word === first))) {
    throw wrong('The command has an operator of a shell, and is not run by one.');
  }
  const vector = command.map(({ text }) => text);
  if (vector.some((word) => word.includes('\0'))) throw wrong('The command has a NUL character.');
  if (isUrl) return remote(vector);
  const assigned = words.slice(0, Math.max(start, 0)).map(({ text }) => splitAssignment(text));
  return local(recognised(vector, cwd), Object.fromEntries(assigned));
}

function remote(vector: readonly string[]): ServerDraft {
  const [url = '', ...rest] = vector;
  if (rest.length > 0) throw wrong('There is something after the URL.');
  if (!isHttpAddress(url)) throw wrong('The URL is malformed, or contains a password.');
  const { pieces, inputs, answers } = withoutQuerySecrets([url]);
  const draft = createDraft(
    { name: hostLabel(url), package: { type: 'http', identifier: url }, transport: { type: 'http', url } },
    { inputs, places: [{ in: 'url', text: pieces }] },
  );
  return fill(draft, answers);
}

function local(
  { package: found, args, env = {}, passed = [] }: Recognised,
  assigned: Record<string, string>,
): ServerDraft {
  const variables = { ...env, ...assigned };
  const asked = passed.filter((name) => !Object.hasOwn(variables, name));
  const inputs = asked.map((key): DraftInput => ({ key, kind: 'env', required: true, secret: isSecretName(key) }));
  return createDraft(
    {
      name: nameOf(found),
      package: found,
      transport: { type: 'stdio' },
      args,
      env_vars: Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [
          name,
          { value, is_secret: isSecretName(name) || isSecretValue(value) },
        ]),
      ),
    },
    { inputs, places: asked.map((name) => ({ in: 'env', name, text: [{ input: name }], required: true })) },
  );
}

function recognised(vector: readonly string[], cwd: string | undefined): Recognised {
  const [command = '', ...args] = vector;
  const known = knownCommand(command, args) ?? asTyped(command, args);
  if (known) return known;
  if (args.length === 0 && command.startsWith('@') && isNpmName(command)) {
    return { package: { type: 'npm', identifier: command }, args };
  }
  // A path begins with `/`, `.` or `~`; the name of an image does not.
  if (args.length === 0 && command.includes('/') && isImageName(command)) {
    return { package: { type: 'docker', identifier: command }, args };
  }
  const isRelative = cwd !== undefined && /^\.{1,2}\//.test(command);
  return { package: { type: 'binary', identifier: isRelative ? resolve(cwd, command) : command }, args };
}

/** People leave out the options that Switchboard adds by itself. */
function asTyped(command: string, args: readonly string[]): Recognised | undefined {
  if (command === 'npx') return packageOf('npm', args);
  if (command !== 'docker' || args[0] !== 'run') return undefined;
  const rest = args.slice(1).flatMap((word) => (/^(-it|-ti)$/.test(word) ? ['-i'] : [word]));
  return imageOf(['-i', '--rm', ...rest]);
}

function isAssignment({ text, plainLength }: Word): boolean {
  const at = text.indexOf('=');
  return at > 0 && at < plainLength && isEnvName(text.slice(0, at));
}

function splitAssignment(word: string): [string, string] {
  const at = word.indexOf('=');
  return [word.slice(0, at), word.slice(at + 1)];
}

/** `@scope/server-github` is `github`. */
function nameOf({ type, identifier }: ServerPackage): string {
  const last = identifier.split('/').findLast((part) => part !== '') ?? identifier;
  const bare = type === 'docker' ? (last.split(/[:@]/)[0] ?? last) : last.replace(/\.(js|mjs|cjs|ts|py|sh)$/, '');
  const short = bare.replace(/^(mcp-server-|server-|mcp-)/, '').replace(/(-mcp-server|-mcp|-server)$/, '');
  return (short || bare || identifier).slice(0, 100);
}

/** `https://mcp.example.com/…` is `example`. */
function hostLabel(url: string): string {
  const { hostname } = new URL(url);
  if (/^[\d.]+$|^\[/.test(hostname)) return hostname.replace(/[[\]]/g, '');
  const labels = hostname.split('.');
  const useful = labels.slice(0, Math.max(1, labels.length - 1)).filter((label) => !/^(www|mcp|api)$/.test(label));
  return useful.at(-1) ?? hostname;
}

function wrong(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { field: 'command' });
}

import { resolve } from 'node:path';
import { isOption } from './arguments.ts';
import { UsageError } from './command.ts';
import { quoted } from './values.ts';

/** The global options, at any position, and the remaining arguments. */
export interface Globals {
  help: boolean;
  version: boolean;
  home?: string;
  /** Configuration keys with dots, values as typed. */
  flags: Record<string, string>;
  line: readonly string[];
}

/** Known before anything is parsed, because it also decides how a parse error is printed. */
export function wantsJson(argv: readonly string[]): boolean {
  return beforeEnd(argv).includes('--json');
}

export function readGlobals(argv: readonly string[]): Globals {
  const options = beforeEnd(argv);
  const globals: Globals = { help: false, version: false, flags: {}, line: [] };
  const line: string[] = [];
  for (let index = 0; index < options.length; index++) {
    const arg = options[index] ?? '';
    if (arg === '--json') continue;
    if (/^--(json|help)=/.test(arg)) throw new UsageError(`${splitAt(arg)[0]} takes no value.`);
    if (arg === '--help' || arg === '-h') globals.help = true;
    else if ((arg === '--version' || arg === '-v') && line.length === 0) globals.version = true;
    else if (/^--(home|set)(=|$)/s.test(arg)) {
      const [name, value] = arg.includes('=') ? splitAt(arg) : [arg, valueAfter(arg, options[++index])];
      if (name === '--home') globals.home = homeFrom(value);
      else Object.assign(globals.flags, flagFrom(value));
    } else line.push(arg);
  }
  return { ...globals, line: [...line, ...argv.slice(options.length)] };
}

function beforeEnd(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return end === -1 ? argv : argv.slice(0, end);
}

function valueAfter(option: string, next: string | undefined): string {
  if (next === undefined || isOption(next)) throw new UsageError(`${option} needs a value.`);
  return next;
}

function homeFrom(folder: string): string {
  if (folder === '') throw new UsageError('--home needs a folder.');
  return resolve(folder);
}

function flagFrom(text: string): Record<string, string> {
  const [key, value] = splitAt(text);
  if (!text.includes('=') || !/^[a-z][\w-]*(\.[\w-]+)+$/i.test(key)) {
    throw new UsageError(`--set takes KEY=VALUE, like --set logging.level=debug, not ${quoted(text)}.`);
  }
  return { [key]: value };
}

function splitAt(text: string): [string, string] {
  const at = text.indexOf('=');
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

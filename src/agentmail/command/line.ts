import { closest } from '../../lib/did-you-mean.ts';
import { CommandFailure } from './failure.ts';

export interface Flag {
  /** Without dashes; the first is the name in the code. */
  names: readonly [string, ...string[]];
  takes: 'text' | 'number' | 'nothing';
  description: string;
}

/** A parsed command line. */
export interface ParsedArguments {
  words: readonly string[];
  text(flag: string): string | undefined;
  number(flag: string): number | undefined;
  has(flag: string): boolean;
}

const PARSING = 'error parsing commandline arguments: ';

/** Flags of every command. */
export const COMMON_FLAGS: readonly Flag[] = [
  { names: ['json'], takes: 'nothing', description: 'Print one line of JSON, also for errors' },
  { names: ['help', 'h'], takes: 'nothing', description: 'Show this help' },
];

/**
 * One dash or two, `--flag value` or `--flag=value`, before or after positional words, until `--`. An argument that
 * is not a flag's name, such as `- a list item` or `-1`, is positional.
 */
export function parseLine(flags: readonly Flag[], args: readonly string[]): ParsedArguments {
  const known = [...flags, ...COMMON_FLAGS];
  const given = new Map<string, string>();
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      words.push(...args.slice(at + 1));
      break;
    }
    const [, name, value] = /^--?([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === undefined) {
      words.push(arg);
      continue;
    }
    const flag = known.find(({ names }) => names.includes(name)) ?? unknownFlag(name, known);
    given.set(flag.names[0], flag.takes === 'nothing' ? yesOrNo(name, value) : (value ?? next(name, args, ++at)));
  }
  const line: ParsedArguments = {
    words,
    text: (flag) => given.get(flag),
    has: (flag) => given.get(flag) === 'true',
    number: (flag) => asNumber(flag, given.get(flag)),
  };
  for (const { names, takes } of known) if (takes === 'number') line.number(names[0]);
  return line;
}

function next(name: string, args: readonly string[], at: number): string {
  const value = args[at];
  if (value === undefined) throw wrongLine(`flag needs an argument: -${name}`);
  return value;
}

function yesOrNo(name: string, value = 'true'): string {
  if (/^(1|t|true)$/i.test(value)) return 'true';
  if (/^(0|f|false)$/i.test(value)) return 'false';
  throw wrongLine(`invalid boolean value "${value}" for -${name}: parse error`);
}

function asNumber(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw wrongLine(`invalid value "${value}" for flag -${flag}: parse error`);
}

function unknownFlag(name: string, known: readonly Flag[]): never {
  const meant = closest(
    name,
    known.flatMap(({ names }) => names),
  );
  throw wrongLine(
    `flag provided but not defined: -${name}`,
    meant === undefined
      ? `a word that begins with a dash and is no flag comes after --`
      : `did you mean --${meant}? A word that begins with a dash and is no flag comes after --`,
  );
}

function wrongLine(problem: string, hint?: string): CommandFailure {
  return new CommandFailure('VALIDATION_ERROR', `${PARSING}${problem}`, { hint });
}

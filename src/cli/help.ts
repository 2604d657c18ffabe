import { version } from '../lib/version.ts';
import { type Command, type Field, type FieldType, nameOf, type Signature } from './command.ts';
import { bold, type Output } from './terminal.ts';
import { displayWidth, padTo, wrap } from './text.ts';
import { describeNumber } from './values.ts';

const WIDEST = 100;
const WIDEST_TERM = 28;
const INDENT = '  ';

/** A term and its description, as one entry of a list. */
type Entry = readonly [term: string, meaning: string];

const EVERYWHERE: readonly Entry[] = [
  ['--json', 'Print one line of JSON; errors too, on stderr.'],
  ['--home DIR', 'Folder of all state (default: SWITCHBOARD_HOME, or ~/.switchboard).'],
  ['--set KEY=VALUE', 'Override a configuration key for this process; may be repeated.'],
  ['-h, --help', 'Show this help.'],
];

/** Every command in one line, under the capability it belongs to. */
export function overview(commands: readonly Command[], to: Output): string {
  const groups = Map.groupBy(
    commands.filter(({ hidden }) => !hidden),
    ({ group }) => group,
  );
  return page(to, [
    `Switchboard ${version()} connects AI agents to your conversations over one MCP connection.`,
    'Usage: switchboard <command> [arguments] [options]',
    ...[...groups].map(([group, members]) => listing(capitalized(group), members)),
    { heading: 'Options', entries: [...EVERYWHERE, ['-v, --version', 'Show the version.']] },
    'Run `switchboard help <command>` for details of a command.',
  ]);
}

/** The commands with the same first word. */
export function groupHelp(path: string, commands: readonly Command[], to: Output): string {
  return page(to, [
    `Usage: switchboard ${path} <command> [arguments] [options]`,
    listing('Commands', commands),
    `Run \`switchboard ${path} <command> --help\` for details of a command.`,
  ]);
}

export function commandHelp(command: Command, to: Output): string {
  const signature = command.signature();
  const { positionals, stdin } = signature;
  const options = signature.fields.filter((field) => !positionals.includes(field) && field !== stdin && !field.hidden);
  return page(to, [
    usage(command, signature),
    command.description,
    { heading: 'Arguments', entries: positionals.map((field) => argumentEntry(field, field === stdin)) },
    { heading: 'Standard input', entries: stdin && !positionals.includes(stdin) ? [stdinEntry(stdin)] : [] },
    ...(command.topics ?? []),
    { heading: 'Options', entries: [...options.map(optionEntry), ...EVERYWHERE] },
    { heading: 'Examples', lines: command.examples },
    { heading: 'Exit codes', lines: ['0 done, 1 failed, 2 wrong usage'] },
  ]);
}

function usage(command: Command, { fields, positionals, stdin }: Signature): string {
  const words = positionals.map((field) => {
    const name = `${nameOf(field)}${field.type.kind === 'list' ? '...' : ''}`;
    return field.required && field !== stdin ? `<${name}>` : `[${name}]`;
  });
  const needed = fields.filter((field) => field.required && !positionals.includes(field) && field !== stdin);
  return ['Usage: switchboard', command.path, ...words, ...needed.map(term), '[options]'].join(' ');
}

/** An argument states its values in its description, since its term does not show them. */
function argumentEntry(field: Field, alsoStdin: boolean): Entry {
  const choices = field.type.kind === 'choice' ? ` One of ${field.type.values.join(', ')}.` : '';
  return [nameOf(field), meaning({ ...field, description: `${field.description ?? ''}${choices}`.trim() }, alsoStdin)];
}

function optionEntry(field: Field): Entry {
  return [term(field), meaning(field)];
}

function stdinEntry(field: Field): Entry {
  return [nameOf(field), `${meaning({ ...field, required: false })} Also --${field.names[0]}.`.trim()];
}

function term(field: Field): string {
  const value = placeholder(field.type);
  const isOn = field.type.kind === 'flag' && field.fallback === true;
  const letter = field.letter === undefined ? '' : `-${field.letter}, `;
  return `${letter}--${isOn ? '[no-]' : ''}${field.names[0]}${value === '' ? '' : ` ${value}`}`;
}

function placeholder(type: FieldType): string {
  switch (type.kind) {
    case 'text':
      return 'TEXT';
    case 'path':
      return 'PATH';
    case 'number':
      return 'N';
    case 'flag':
      return '';
    case 'choice':
      return type.values.join('|');
    case 'json':
      // Most of these are one text or several.
      return type.orText ? 'TEXT' : 'JSON';
    case 'list':
      return type.isWhole ? placeholder(type.of) : `${placeholder(type.of)},...`;
  }
}

function meaning(field: Field, alsoStdin = false): string {
  const { type, fallback, required } = field;
  // A name with a dot is the field's path in the input.
  const alsoCalled = field.names.slice(1).filter((name) => !name.includes('.'));
  const notes = [
    ...alsoCalled.map((name) => `or --${name}`),
    ...(required && !alsoStdin ? ['required'] : []),
    ...(alsoStdin ? ['- for standard input'] : []),
    ...(type.kind === 'number' && (type.min ?? type.max) !== undefined ? [describeNumber(type)] : []),
    ...(type.kind === 'list' ? ['may be repeated'] : []),
    ...(isNothing(fallback) ? [] : [`default ${shown(fallback)}`]),
  ];
  return [
    ...(field.description ? [field.description] : []),
    ...(notes.length > 0 ? [`(${notes.join('; ')})`] : []),
  ].join(' ');
}

/** An empty default says no more than none. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === false || value === '' || (Array.isArray(value) && value.length === 0);
}

function shown(value: unknown): string {
  if (value === true) return 'on';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Section = { heading: string; entries: readonly Entry[] } | { heading: string; lines: readonly string[] };

function listing(heading: string, commands: readonly Command[]): Section {
  const shown = commands.filter(({ hidden }) => !hidden);
  return { heading, entries: shown.map(({ path, description }) => [path, firstSentence(description)]) };
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/)[0] ?? '';
}

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** Paragraphs and sections with an empty line between; empty sections are omitted. */
function page(to: Output, parts: readonly (string | Section)[]): string {
  const width = Math.min(to.width ?? 80, WIDEST);
  return parts
    .map((part) => (typeof part === 'string' ? wrap(width, part) : sectionLines(part, width, to.colour)).join('\n'))
    .filter((text) => text !== '')
    .join('\n\n');
}

function sectionLines(section: Section, width: number, colour: boolean): string[] {
  const lines = 'lines' in section ? section.lines.map((line) => INDENT + line) : entryLines(section.entries, width);
  return lines.length === 0 ? [] : [colour ? bold(section.heading) : section.heading, ...lines];
}

/** Terms in one column, descriptions in another; a long term has its own line. */
function entryLines(entries: readonly Entry[], width: number): string[] {
  const termWidth = Math.min(WIDEST_TERM, Math.max(0, ...entries.map(([name]) => displayWidth(name))));
  const margin = ' '.repeat(INDENT.length + termWidth + 2);
  return entries.flatMap(([name, text]) => {
    const [first = '', ...others] = wrap(Math.max(20, width - margin.length), text).map((line) => margin + line);
    if (displayWidth(name) > termWidth) return [INDENT + name, first, ...others];
    return [(INDENT + padTo(termWidth + 2, name) + first.slice(margin.length)).trimEnd(), ...others];
  });
}

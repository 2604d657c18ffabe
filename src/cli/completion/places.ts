import type { Command, Field, FieldType } from '../command.ts';

/** What can be typed next, at a node of the command tree. */
export interface Place {
  /** Of a command or of a group; empty for the program itself. */
  path: string;
  words: readonly Word[];
  options: readonly Option[];
  /** A file name may be next. */
  files: boolean;
}

export interface Word {
  text: string;
  meaning: string;
}

export interface Option extends Word {
  takes: 'nothing' | 'something' | 'files' | readonly string[];
}

const EVERYWHERE: readonly Option[] = [
  { text: '--json', meaning: 'JSON instead of text', takes: 'nothing' },
  { text: '--home', meaning: 'where all state lives', takes: 'files' },
  { text: '--set', meaning: 'a configuration key', takes: 'something' },
  { text: '--help', meaning: 'help', takes: 'nothing' },
];

/** Every node of the command tree, the program itself first. */
export function placesOf(commands: readonly Command[]): Place[] {
  const visible = commands.filter(({ hidden }) => !hidden);
  const groups = new Set(visible.flatMap(({ path }) => beginnings(path)));
  const first = wordsBelow('', visible);
  const version: Option = { text: '--version', meaning: 'the version', takes: 'nothing' };
  return [
    {
      path: '',
      words: [...first, { text: 'help', meaning: 'help on a command' }],
      options: [...EVERYWHERE, version],
      files: false,
    },
    ...[...groups].map((path) => ({ path, words: wordsBelow(path, visible), options: EVERYWHERE, files: false })),
    ...visible.map(commandPlace),
  ];
}

function beginnings(path: string): string[] {
  const words = path.split(' ');
  return words.slice(1).map((_, index) => words.slice(0, index + 1).join(' '));
}

function wordsBelow(path: string, commands: readonly Command[]): Word[] {
  const below = new Map<string, string>();
  for (const command of commands) {
    if (path !== '' && !command.path.startsWith(`${path} `)) continue;
    const [word = '', ...rest] = command.path.slice(path === '' ? 0 : path.length + 1).split(' ');
    if (!below.has(word)) below.set(word, rest.length === 0 ? firstSentence(command.description) : '');
  }
  return [...below].map(([text, meaning]) => ({ text, meaning }));
}

function commandPlace(command: Command): Place {
  const { fields, positionals } = command.signature();
  const options = fields.filter((field) => !positionals.includes(field) && !field.hidden);
  return {
    path: command.path,
    words: [...positionals.flatMap(({ type }) => valuesOf(type)), ...(command.suggestions ?? [])].map((text) => ({
      text,
      meaning: '',
    })),
    options: [...options.map(toOption), ...EVERYWHERE],
    files: positionals.some(({ type }) => type.kind === 'path'),
  };
}

function toOption({ names: [name], type, description = '' }: Field): Option {
  return { text: `--${name}`, meaning: firstSentence(description), takes: taken(type) };
}

function taken(type: FieldType): Option['takes'] {
  if (type.kind === 'flag') return 'nothing';
  if (type.kind === 'path') return 'files';
  const values = valuesOf(type);
  return values.length > 0 ? values : 'something';
}

function valuesOf(type: FieldType): readonly string[] {
  if (type.kind === 'list') return valuesOf(type.of);
  // Anything else would need quoting in three languages.
  return type.kind === 'choice' ? type.values.filter((value) => /^[\w.:@/+-]+$/.test(value)) : [];
}

function firstSentence(text: string): string {
  return (text.split(/\.(?:\s|$)/)[0] ?? '').trim();
}

import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError, toAppError } from '../../domain/errors.ts';
import { userHomeIn } from '../../lib/home-path.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { serverIdOf } from '../config/server-id.ts';
import { fill, missing, type ServerDraft } from '../draft/draft.ts';
import { IMPORT_PROGRAMS, type ImportProgram, importPlaces, readConfigFile } from '../import/places.ts';
import { type ImportedServers, readServers } from '../import/read-config.ts';
import { draftInput } from '../supervisor/draft-input.ts';
import { InputView, questionsOf, toInputView } from './missing-inputs.ts';
import { type ServersContext, sentence } from './server-view.ts';

const Input = z.strictObject({
  file: z
    .string()
    .min(1)
    .describe(`A configuration file of another program, or the program: ${IMPORT_PROGRAMS.join(', ')}.`),
  only: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Names of the servers to import; default: all.'),
  values: z
    .record(z.string(), z.string())
    .default({})
    .describe('Values of `${input:…}` and of variables that are not set.'),
  disabled: z.boolean().default(false).describe('Import them without starting them.'),
  dry_run: z.boolean().default(false).describe('Only show what would be imported.'),
});

const Output = z.object({
  imported: z.array(z.string()),
  dry_run: z.boolean().describe('Nothing was saved.'),
  skipped: z.array(z.object({ name: z.string(), reason: z.string() })),
  inputs: z.array(InputView).describe('Values that are missing.'),
});

export const importServers = operation({
  cli: {
    path: 'servers import',
    positionals: ['file'],
    examples: [
      'switchboard servers import claude-desktop',
      'switchboard servers import .vscode/mcp.json --only github',
    ],
    question: (input, { inputs }) =>
      input.dry_run
        ? undefined
        : questionsOf(inputs, (values) => ({ ...input, values: { ...input.values, ...values } })),
    failed: ({ imported, skipped }) => imported.length === 0 && skipped.length > 0,
  },
  rest: { method: 'POST', path: '/servers/import' },
  kind: 'command',
  effect: 'writes',
  right: 'manage',
  description:
    'Imports MCP servers from the configuration of Claude Desktop, Claude Code, Cursor, VS Code, Windsurf or an mcp.json.',
  input: Input,
  output: Output,
  async run({ file, only, values, disabled, dry_run: isDry }, context: OperationContext & ServersContext) {
    const found = readAll(file, context.origin?.cwd ?? '/');
    const wanted = only === undefined ? undefined : [only].flat();
    const drafts = found.drafts
      .filter(({ name }) => wanted?.includes(name) ?? true)
      .map((draft) => fill(draft, valuesFor(draft, values)));
    const absent = drafts.flatMap((draft) => missing(draft));
    const inputs = [...new Map(absent.map((input) => [input.key, toInputView(input)])).values()];
    // On a terminal they are asked for before anything is saved.
    if (!isDry && inputs.length > 0 && context.door === 'cli') {
      return { imported: [], dry_run: false, skipped: [], inputs };
    }
    const known = new Set((await context.servers.list()).map(({ id }) => id));
    const results = await Promise.all(
      drafts.map((draft) => (isDry ? wouldImport(draft, known) : importOne(draft, disabled, context))),
    );
    return {
      imported: results.flatMap(({ name, reason }) => (reason === undefined ? [name] : [])),
      dry_run: isDry,
      skipped: [
        ...found.skipped.filter(({ name }) => wanted?.includes(name) ?? true),
        ...absentIn(found, wanted),
        ...results.flatMap(({ name, reason }) => (reason === undefined ? [] : [{ name, reason }])),
      ],
      inputs,
    };
  },
  render: ({ imported, dry_run: isDry, skipped, inputs }) => {
    const [done, nothing] = isDry
      ? ['Would import', 'Nothing would be imported.']
      : ['Imported', 'Nothing was imported.'];
    return [
      imported.length > 0 ? `${done} ${imported.join(', ')}.` : nothing,
      ...skipped.map(({ name, reason }) => `Left out ${name}: ${sentence(reason)}`),
      ...(inputs.length > 0 ? [`Missing: ${inputs.map(({ key }) => key).join(', ')}.`] : []),
    ].join('\n');
  },
});

interface ImportResult {
  name: string;
  reason?: string;
}

function absentIn({ drafts, skipped }: Pick<ImportedServers, 'drafts' | 'skipped'>, wanted: readonly string[] = []) {
  const names = new Set([...drafts, ...skipped].map(({ name }) => name));
  return wanted
    .filter((name) => !names.has(name))
    .map((name) => ({ name, reason: 'There is no server of this name.' }));
}

function wouldImport({ name }: ServerDraft, known: ReadonlySet<string>): ImportResult {
  const id = serverIdOf(name);
  return known.has(id) ? { name, reason: `There is a server ${id} already.` } : { name: id };
}

async function importOne(draft: ServerDraft, disabled: boolean, { create }: ServersContext): Promise<ImportResult> {
  const { name } = draft;
  try {
    const server = await create({ ...draftInput(draft), ...(disabled ? { enabled: false } : {}) });
    return { name: server.id };
  } catch (thrown) {
    const { message, hint } = toAppError(thrown);
    return { name, reason: [message, ...(hint === undefined ? [] : [hint])].map(sentence).join(' ') };
  }
}

function valuesFor({ template }: ServerDraft, values: Readonly<Record<string, string>>): Record<string, string> {
  const keys = new Set(template.inputs.map(({ key }) => key));
  return Object.fromEntries(Object.entries(values).filter(([key]) => keys.has(key)));
}

/** A file, or all files in which a program has its servers. */
function readAll(file: string, cwd: string): Pick<ImportedServers, 'drafts' | 'skipped'> {
  const program = IMPORT_PROGRAMS.find((one) => one === file);
  const paths = program === undefined ? [resolve(cwd, file)] : placesOf(program, cwd);
  const read = paths.flatMap((path) => {
    const text = readConfigFile(path);
    return text === undefined ? [] : [readServers(text, { path, ...(program === undefined ? {} : { program }) })];
  });
  if (read.length === 0) {
    throw new AppError(
      'NOT_FOUND',
      program === undefined ? 'There is no such file.' : `No configuration of ${program} was found.`,
      {
        field: 'file',
        hint:
          program === undefined
            ? `Give a file, or one of ${IMPORT_PROGRAMS.join(', ')}.`
            : `Looked for ${paths.join(', ')}.`,
      },
    );
  }
  return { drafts: read.flatMap(({ drafts }) => drafts), skipped: read.flatMap(({ skipped }) => skipped) };
}

function placesOf(program: ImportProgram, cwd: string): readonly string[] {
  const surroundings = { home: userHomeIn(process.env), cwd, platform: process.platform, env: process.env };
  return importPlaces(surroundings)[program];
}

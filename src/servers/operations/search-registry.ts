import { z } from 'zod';
import { quotedName } from '../../lib/shown-name.ts';
import { visible } from '../../lib/visible.ts';
import { type OperationContext, operation } from '../../operation.ts';
import { REGISTRIES } from '../registries/registry-entry.ts';
import type { ServersContext } from './server-view.ts';

const EntryView = z.object({
  registry: z.enum(REGISTRIES),
  id: z.string(),
  title: z.string(),
  description: z.string(),
  version: z.string().optional(),
  deprecated: z.boolean().optional(),
  status_message: z.string().optional(),
  verified: z.boolean().optional(),
  use_count: z.number().optional(),
  website: z.string().optional(),
});

const Output = z.object({
  entries: z.array(EntryView),
  stale: z.boolean(),
  problems: z.array(z.object({ registry: z.string(), message: z.string() })),
  skipped: z.int(),
  more: z.int(),
});

export const searchRegistry = operation({
  mcp: { name: 'servers_search', title: 'Search MCP registries', right: 'manage', structured: compact },
  cli: {
    path: 'servers search',
    positionals: ['query'],
    examples: ['switchboard servers search github', 'switchboard servers search postgres --registry official'],
    list: {
      key: 'entries',
      columns: ['id', 'registry', 'description'],
      row: (entry) => {
        const { id, registry, description, deprecated } = EntryView.parse(entry);
        return { id, registry, description: deprecated ? `(deprecated) ${description}` : description };
      },
      line: (entry) => asLine(EntryView.parse(entry)),
      notes: (output) => notesOf(Output.parse(output)),
    },
  },
  rest: { method: 'GET', path: '/registry/servers' },
  kind: 'query',
  effect: 'reads',
  description:
    'Searches the official MCP registry and Smithery for servers. What they say about themselves is not checked.',
  input: z.strictObject({
    query: z.union([z.string(), z.array(z.string())]).describe('Words to search for.'),
    registry: z.enum(REGISTRIES).optional().describe('Only this registry; default: all.'),
    limit: z.int().min(1).max(100).default(30).describe('Maximum number of entries.'),
  }),
  output: Output,
  async run({ query, registry, limit }, { registries, signal }: OperationContext & ServersContext) {
    const found = await registries.search([query].flat().join(' '), {
      limit,
      signal,
      ...(registry === undefined ? {} : { registry }),
    });
    return { ...found, entries: [...found.entries], problems: [...found.problems] };
  },
  render: (output) => {
    const found = output.entries.length > 0 ? output.entries.map(asWholeLine) : ['No server was found.'];
    return [...found, ...notesOf(output)].join('\n');
  },
});

function asLine({ id, registry, description, deprecated }: z.output<typeof EntryView>): string {
  return `${id} (${registry}${deprecated ? ', deprecated' : ''}): ${description}`;
}

/** For a model: all that is known. */
function asWholeLine(entry: z.output<typeof EntryView>): string {
  const facts = [
    ...(entry.version === undefined ? [] : [`version ${entry.version}`]),
    ...(entry.verified ? ['verified'] : []),
    ...(entry.use_count === undefined ? [] : [`used ${entry.use_count} times`]),
    ...(entry.website === undefined ? [] : [entry.website]),
    ...(entry.status_message === undefined ? [] : [entry.status_message]),
  ];
  const title = entry.title === entry.id ? '' : ` ${quotedName(entry.title)}`;
  return `${asLine(entry)}${title}${facts.length === 0 ? '' : ` (${visible(facts.join(', '))})`}`;
}

/** Over MCP: without what is the default. */
function compact({ entries, stale, problems, skipped, more }: z.output<typeof Output>) {
  return {
    entries: entries.map(({ title, verified, deprecated, ...rest }) => ({
      ...rest,
      ...(title === rest.id ? {} : { title }),
      ...(verified ? { verified } : {}),
      ...(deprecated ? { deprecated } : {}),
    })),
    ...(stale ? { stale } : {}),
    ...(problems.length === 0 ? {} : { problems }),
    ...(skipped === 0 ? {} : { skipped }),
    ...(more === 0 ? {} : { more }),
  };
}

function notesOf({ entries, problems, stale, more }: z.output<typeof Output>): string[] {
  return [
    ...(entries.length === 0 ? [] : ['Install one: switchboard servers install ID']),
    ...(more > 0 ? [`${more} more; search for more words.`] : []),
    ...(stale ? ['Some of it is older, because a registry did not answer.'] : []),
    ...problems.map(({ registry, message }) => `${registry}: ${message}`),
  ];
}

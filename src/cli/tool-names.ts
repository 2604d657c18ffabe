import type { CatalogEntry } from './composition.ts';

export type InCommands = (text: string) => string;

/**
 * Descriptions and hints are written for models, and name tools. On the command line those that have a command are
 * called by it: `search_emails` is `switchboard email search`.
 */
export function inCommands(catalog: readonly CatalogEntry[]): InCommands {
  const paths = new Map(
    catalog.flatMap(({ operation: { mcp, cli } }) =>
      [mcp?.name, mcp?.combined_name]
        // A name of one word, such as `send`, may be just a word.
        .filter((name) => name?.includes('_') && cli?.path !== undefined)
        .map((name) => [name, cli?.path] as const),
    ),
  );
  if (paths.size === 0) return (text) => text;
  const names = new RegExp(`(\`?)\\b(${[...paths.keys()].join('|')})\\b\\1`, 'g');
  return (text) => text.replace(names, (_, _quote, name: string) => `\`switchboard ${paths.get(name)}\``);
}

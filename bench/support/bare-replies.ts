import { readFileSync } from 'node:fs';

/** Results by method, already as JSON text, from the file named on the command line. */
export function createReplies(): (id: number, method: string) => string {
  const results = new Map(
    Object.entries(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Record<string, unknown>).map(
      ([method, result]) => [method, JSON.stringify(result)],
    ),
  );
  return (id, method) => `{"jsonrpc":"2.0","id":${id},"result":${results.get(method) ?? '{}'}}`;
}

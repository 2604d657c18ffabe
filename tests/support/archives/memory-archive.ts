import type { ArchiveReader } from '../../../src/connectors/archive/open-archive.ts';

/** An export in memory. Its files arrive in small chunks, so that every kind of boundary is split somewhere. */
export function archiveOf(
  files: Readonly<Record<string, string | Buffer>>,
  { path = '/exports/archive', chunk = 1_000 }: { path?: string; chunk?: number } = {},
): ArchiveReader {
  const entries = Object.entries(files).map(([name, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    return {
      name,
      size: bytes.length,
      async *read() {
        for (let start = 0; start < bytes.length; start += chunk) yield bytes.subarray(start, start + chunk);
      },
    };
  });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { path, kind: entries.length === 1 ? 'file' : 'folder', entries, close: async () => {} };
}

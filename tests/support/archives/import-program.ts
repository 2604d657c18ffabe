// Imports an export into a store as the program does; prints that it has begun, and at the end the result and its peak memory.
// Arguments: the home, the format and the path.
import { existsSync, readFileSync } from 'node:fs';
import { createImportRunner } from '../../../src/chat/import/runner.ts';
import type { ArchiveFormat } from '../../../src/domain/archive.ts';
import { printLine } from '../print-line.ts';
import { MIGRATIONS } from '../store/open-store.ts';

const [home = '', format = '', path = ''] = process.argv.slice(2);
const worker = new URL('../../../src/compose/import-worker.ts', import.meta.url);
const { run } = createImportRunner({ home, url: 'sqlite', migrations: MIGRATIONS }, worker);
const report = await run(
  { format: format as ArchiveFormat, path, source: format, timeZone: 'UTC' },
  {
    signal: new AbortController().signal,
    progress: (done, total) => say({ done, total }),
    begin: async () => say({ begun: true }),
  },
);
say({ report, maxRssMb: mostMemoryMb() });

/** On Linux `resourceUsage` starts with the value of the parent process. */
function mostMemoryMb(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const [, own] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
  return Number(own ?? process.resourceUsage().maxRSS) / 1024;
}

function say(fact: object): void {
  printLine(JSON.stringify(fact));
}

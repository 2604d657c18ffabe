import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchiveFile, writeArchive } from './archive-files.ts';
import { announced, end, peakMemoryOf, type Running, start } from './process.ts';
import type { Measure, Samples } from './report.ts';

const CLI = join(import.meta.dirname, '..', '..', 'dist', 'cli.js');
/** Of Linux, for all architectures that Node runs on. */
const TICKS_PER_SECOND = 100;

export function importMeasures({ format, title }: ArchiveFile): Measure[] {
  return [
    { id: `${format}/rate`, title: `${title}: messages`, unit: '/s' },
    { id: `${format}/cpu`, title: `${title}: CPU time`, unit: 's' },
    { id: `${format}/memory`, title: `${title}: peak memory`, unit: 'MB' },
  ];
}

/** Imports a generated export into an empty home of the built program, and once more, each into a program of its own. */
export async function measureImport(
  archive: ArchiveFile,
  { folder, messages }: { folder: string; messages: number },
  samples: Samples,
): Promise<void> {
  const { format } = archive;
  const [path, home] = [join(folder, `export.${format}`), join(folder, format)];
  await writeArchive(archive, path, messages);
  for (const which of ['first', 'again'] as const) {
    const running = start({ args: [CLI, 'serve', '--port', '0'], env: { SWITCHBOARD_HOME: home } });
    await announced(running, /http:\/\/127\.0\.0\.1:\d+/);
    const [before, startedAt] = [cpuSecondsOf(running), performance.now()];
    const { added, known } = await importInto(home, format, path);
    const seconds = (performance.now() - startedAt) / 1_000;
    const expected = which === 'first' ? added : known;
    if (expected !== messages) throw new Error(`${format}: ${expected} of ${messages} messages were imported.`);
    samples.add(`${format}/rate`, which, messages / seconds);
    const after = cpuSecondsOf(running);
    samples.add(`${format}/cpu`, which, after === undefined || before === undefined ? undefined : after - before);
    samples.add(`${format}/memory`, which, peakMemoryOf(running));
    await end(running, 'SIGTERM');
  }
  for (const each of [path, home]) rmSync(each, { recursive: true, force: true });
}

async function importInto(home: string, format: string, path: string): Promise<{ added: number; known: number }> {
  const args = [CLI, 'chat', 'import', format, path, '--time-zone', 'UTC', '--json'];
  const command = start({ args, env: { SWITCHBOARD_HOME: home } });
  const ended = once(command, 'exit');
  command.stdin.end();
  command.stderr.resume();
  const output = (await command.stdout.setEncoding('utf8').toArray()).join('');
  await ended;
  return JSON.parse(output);
}

/** Of all its threads, also of those that have ended. Undefined where the system is not Linux. */
function cpuSecondsOf({ pid }: Running): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

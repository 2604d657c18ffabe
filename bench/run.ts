// `npm run bench -- NAME [--quick] [--json FILE] [--messages COUNT] [--keep DIR]`; without a name it lists the benchmarks.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { arch, cpus, loadavg, platform } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as agentmail from './agentmail.ts';
import * as chat from './chat.ts';
import * as core from './core.ts';
import * as email from './email.ts';
import * as archives from './import.ts';
import * as servers from './servers.ts';
import { formatReport } from './support/print.ts';

const BENCHMARKS = { core, agentmail, chat, import: archives, email, servers };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    messages: { type: 'string' },
    keep: { type: 'string' },
  },
});
const [name] = positionals;
if (name === undefined) listBenchmarks();
else await runBenchmark(name);

function listBenchmarks(): void {
  console.log('npm run bench -- NAME [--quick] [--json FILE] [--messages COUNT] [--keep DIR]\n');
  for (const [known, { title }] of Object.entries(BENCHMARKS)) console.log(`${known.padEnd(12)}${title}`);
}

async function runBenchmark(wanted: string): Promise<void> {
  const benchmark = Object.entries(BENCHMARKS).find(([known]) => known === wanted)?.[1];
  if (!benchmark) {
    console.error(`There is no benchmark ${wanted}. Known: ${Object.keys(BENCHMARKS).join(', ')}.`);
    process.exitCode = 2;
    return;
  }
  buildProduct();
  const load = loadavg()[0]?.toFixed(1);
  const machine = `${platform()} ${arch()}, ${cpus().length} cores, load ${load}, Node ${process.versions.node}`;
  console.log(`${wanted}: ${benchmark.title}\n${machine}${values.quick ? ', quick: numbers mean little' : ''}\n`);
  const report = await benchmark.run({
    quick: values.quick,
    messages: values.messages === undefined ? undefined : Number(values.messages),
    keep: values.keep,
  });
  console.log(`${formatReport(report)}\n\n${benchmark.legend.join('\n')}`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify({ benchmark: wanted, machine, ...report }, null, 2)}\n`);
  }
}

/** Users run the built program, so that is measured. */
function buildProduct(): void {
  const script = join(import.meta.dirname, '..', 'scripts', 'build.mjs');
  const { status } = spawnSync(process.execPath, [script, '--quiet', '--if-needed'], { stdio: 'inherit' });
  if (status !== 0) throw new Error('What is to be measured could not be built.');
}

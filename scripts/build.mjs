// `npm run build`: bundles src into dist. `--quiet` prints only errors; `--if-needed` does nothing if dist is newer
// than its sources. `npm run build -- mcpb` also packs the bundle for Claude Desktop, to `--out FILE` or the checkout.
import { chmodSync, existsSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from './bundle/bundle.mjs';
import { collectLicences } from './bundle/licences.mjs';
import { needsBuild, node, root, run } from './checkout.mjs';

// The schemas are in TypeScript modules, which an older Node cannot import.
if (Number.parseInt(process.versions.node, 10) < 24) process.exit(await run(node, process.argv.slice(1)));

const wantsMcpb = process.argv.includes('mcpb');
if (process.argv.includes('--if-needed') && !needsBuild() && !wantsMcpb) process.exit(0);

const startedAt = new Date();
const target = join(root, 'dist');
const fresh = `${target}.tmp-${process.pid}`;

try {
  const { metafile } = await bundle(fresh);
  collectLicences(fresh, metafile);
  for (const bin of ['cli.js', 'agentmail.js']) chmodSync(join(fresh, bin), 0o755);
  // Sources that change during the build must count as newer than its result.
  utimesSync(join(fresh, 'cli.js'), startedAt, startedAt);
  replace(target, fresh);
  if (!process.argv.includes('--quiet')) printSizes(metafile);
  if (wantsMcpb) await packMcpb();
} catch (error) {
  // esbuild has printed its own errors.
  if (!Array.isArray(error.errors)) console.error(error);
  process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}

async function packMcpb() {
  const { buildMcpb } = await import('./mcpb.mjs');
  const out = process.argv.indexOf('--out');
  console.log(await buildMcpb(...(out === -1 ? [] : [process.argv[out + 1]])));
}

/** Replaces the folder `to` by `from`, even if another build does the same concurrently. */
function replace(to, from) {
  for (let attempt = 0; ; attempt++) {
    const old = `${to}.old-${process.pid}-${attempt}`;
    try {
      if (existsSync(to)) renameSync(to, old);
      renameSync(from, to);
      return;
    } catch (error) {
      if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code) || attempt > 20) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}

function printSizes({ outputs }) {
  const code = Object.entries(outputs).filter(([path]) => path.endsWith('.js'));
  for (const [path, output] of code.filter(([, { entryPoint }]) => entryPoint)) {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const together = staticClosure(path, outputs).reduce((sum, each) => sum + outputs[each].bytes, 0);
    // Only bins and workers are printed; a dynamically imported module is an output, too.
    if (!name.includes('-') || output.entryPoint?.startsWith('scripts/') || name === 'store-worker.js') {
      console.log(
        `dist/${name.padEnd(28)} ${kilobytes(output.bytes)}, ${kilobytes(together)} with what it imports at once`,
      );
    }
  }
  console.log(
    `${code.length} files, ${kilobytes(code.reduce((sum, [, { bytes }]) => sum + bytes, 0))}, ${Date.now() - startedAt} ms`,
  );
}

function staticClosure(path, outputs, seen = new Set()) {
  seen.add(path);
  for (const { path: next, kind } of outputs[path].imports) {
    if (kind === 'import-statement' && outputs[next] && !seen.has(next)) staticClosure(next, outputs, seen);
  }
  return [...seen];
}

function kilobytes(bytes) {
  return `${(bytes / 1024).toFixed(1).padStart(8)} KB`;
}

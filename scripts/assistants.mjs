// The real assistants, for the suite of that name: 2 GB, so that only soak runs and `npm test -- assistants` install them. They are no packages of ours; their
// versions are in tests/support/assistants/versions.json. Runs on Node 20, imports no package.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './checkout.mjs';

const cache =
  process.env.ASSISTANTS_CACHE ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'switchboard-assistants');

const versions = JSON.parse(readFileSync(join(root, 'tests/support/assistants/versions.json'), 'utf8'));
const wanted = Object.entries(versions).map(([name, { package: id, version }]) => ({
  folder: join(cache, `${name}-${version}`),
  spec: `${id}@${version}`,
}));

export function hasAssistants() {
  return wanted.every(({ folder }) => existsSync(folder));
}

/** Installs what is missing, and tells the tests where it is. */
export async function setUpAssistants() {
  process.env.ASSISTANTS_CACHE = cache;
  for (const { folder, spec } of wanted) if (!existsSync(folder)) await install(folder, spec);
}

/** Their binaries are packages of their own, so no script has to run. */
async function install(folder, spec) {
  console.log(`Installing ${spec} in ${folder} …`);
  const partial = `${folder}.partial-${process.pid}`;
  mkdirSync(partial, { recursive: true });
  writeFileSync(join(partial, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', '--save-exact', spec];
  const code = await run('npm', args, { cwd: partial });
  if (code === 0) renameSync(partial, folder);
  rmSync(partial, { recursive: true, force: true });
  if (code !== 0) console.log(`${spec} could not be installed.`);
}

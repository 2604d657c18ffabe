import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const REFEREE = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/conformance/', import.meta.url));

export interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** The scenarios that a server must pass to conform to a protocol version, as pinned by the conformance suite. */
export async function requiredScenarios(revision: string, of: 'server' | 'client' = 'server'): Promise<string[]> {
  const file = await readFile(join(REFEREE, 'requirements', `${revision}.yaml`), 'utf8');
  return (parse(file) as Record<typeof of, string[]>)[of];
}

/** Runs every scenario of a protocol version against a server; returns the checks of each scenario. */
export async function referee(url: string, revision: string, folder: string): Promise<Map<string, Check[]>> {
  const child = spawn(
    process.execPath,
    [join(REFEREE, 'dist/index.js'), 'server', '--url', url, '--requirements', revision, '-o', folder],
    { stdio: 'ignore' },
  );
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  const results = new Map<string, Check[]>();
  for (const name of await readdir(folder)) {
    const [, scenario] = /^server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(name) ?? [];
    if (scenario === undefined) throw new Error(`${name} is no result of a scenario`);
    results.set(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')) as Check[]);
  }
  return results;
}

/** Runs a scenario against a client, which is a program that gets the address of the server; returns its checks. */
export async function refereeClient(
  program: string,
  scenario: string,
  revision: string,
  folder: string,
): Promise<Check[]> {
  const command = `${process.execPath} ${program}`;
  const child = spawn(
    process.execPath,
    [
      ...[join(REFEREE, 'dist/index.js'), 'client', '--command', command, '--timeout', '120000'],
      ...['--scenario', scenario, '--spec-version', revision, '-o', folder],
    ],
    { stdio: 'ignore' },
  );
  await new Promise((resolve, reject) => child.once('exit', resolve).once('error', reject));
  const file = (await readdir(folder, { recursive: true })).find((path) => path.endsWith('checks.json'));
  if (file === undefined) throw new Error(`${scenario} has no result`);
  return JSON.parse(await readFile(join(folder, file), 'utf8')) as Check[];
}

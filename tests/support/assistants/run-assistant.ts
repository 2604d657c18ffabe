import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { mainFile, PROGRAMS, type ProgramName, type ProgramSetting } from './programs.ts';
import versions from './versions.json' with { type: 'json' };

/** Only a hang takes this long. */
const LIMIT_MS = 240_000;

/** Runs the real program with a prompt until it ends. */
export async function runAssistant(name: ProgramName, prompt: string, setting: ProgramSetting) {
  const program = PROGRAMS[name];
  const work = join(setting.user, 'work');
  mkdirSync(work, { recursive: true });
  const main = mainFile(program, join(cacheFolder(), `${name}-${versions[name].version}`));
  const [command, ...args] = [...(program.isScript ? [process.execPath] : []), main, ...program.args(prompt, setting)];
  const child = spawn(command ?? main, args, {
    cwd: work,
    env: { PATH: process.env.PATH ?? '', HOME: setting.user, TERM: 'dumb', NO_COLOR: '1', ...program.env(setting) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  clearTimeout(timer);
  return { code, output: `${stdout}\n${stderr}` };
}

/** Where `scripts/assistants.mjs` installs them. */
function cacheFolder(): string {
  const folder = process.env.ASSISTANTS_CACHE;
  if (!folder) throw new Error('ASSISTANTS_CACHE is not set: run `npm test -- assistants`.');
  return folder;
}

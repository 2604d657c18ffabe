import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** What an image would run, with paths in the folder that replaces the image. */
export interface Image {
  entrypoint: string[];
  command: string[];
  health: string[];
  user: string;
  env: Record<string, string>;
}

interface Stage extends Image {
  root: string;
  folder: string;
}

interface Build {
  context: string;
  env: NodeJS.ProcessEnv;
  stages: Map<string, Stage>;
}

/** Runs the steps of a Dockerfile in folders instead of containers: one folder below `into` for each stage. */
export async function buildInFolder(context: string, into: string, env: NodeJS.ProcessEnv): Promise<Image> {
  const build: Build = { context, env, stages: new Map() };
  let stage: Stage | undefined;
  for (const [instruction, rest] of instructionsOf(readFileSync(join(context, 'Dockerfile'), 'utf8'))) {
    if (instruction === 'FROM') {
      const name = / AS (\S+)$/i.exec(rest)?.[1] ?? `stage-${build.stages.size}`;
      stage = newStage(join(into, name));
      build.stages.set(name, stage);
    } else {
      if (stage === undefined) throw new Error(`${instruction} stands before FROM`);
      await carryOut(instruction, rest, stage, build);
    }
  }
  if (stage === undefined) throw new Error('The Dockerfile has no stage.');
  return stage;
}

async function carryOut(instruction: string, rest: string, stage: Stage, build: Build): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.folder = inside(stage, rest);
      mkdirSync(stage.folder, { recursive: true });
      return;
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(rest) ?? [];
      stage.env[name] = inside(stage, value);
      return;
    }
    case 'COPY':
      return copy(rest.split(/\s+/), stage, build);
    case 'RUN':
      await runFile('/bin/sh', ['-c', stepOf(rest, build)], { cwd: stage.folder, env: { ...build.env, ...stage.env } });
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = words(rest, stage);
      return;
    case 'CMD':
      stage.command = words(rest, stage);
      return;
    case 'HEALTHCHECK':
      stage.health = words(rest.slice(rest.indexOf('CMD') + 'CMD'.length), stage);
      return;
    case 'USER':
      stage.user = rest;
      return;
    case 'EXPOSE':
    case 'VOLUME':
      return;
    default:
      throw new Error(`${instruction} is not understood here`);
  }
}

/** Installed packages are linked: `npm ci` is tested where a checkout is set up. */
function stepOf(command: string, { context, env }: Build): string {
  const isInstall = /^npm ci( --[\w-]+)*$/.test(command);
  return isInstall && env.SOAK === undefined
    ? `cp -rl '${join(context, 'node_modules')}' node_modules || ${command}`
    : command;
}

function copy(args: string[], stage: Stage, { context, stages }: Build): void {
  const from = args.find((arg) => arg.startsWith('--from='))?.slice('--from='.length);
  const paths = args.filter((arg) => !arg.startsWith('--'));
  const source = from === undefined ? undefined : stages.get(from);
  const target = inside(stage, join(stage.folder, paths.at(-1) ?? ''));
  for (const path of paths.slice(0, -1)) {
    const file = source === undefined ? join(context, path) : inside(source, path);
    const intoFolder = (paths.at(-1) ?? '').endsWith('/') && !statSync(file).isDirectory();
    cpSync(file, intoFolder ? join(target, basename(path)) : target, { recursive: true });
  }
}

/** An absolute path of the image, in the folder of its stage; other paths unchanged. */
function inside(stage: Stage, path: string): string {
  return isAbsolute(path) && !path.startsWith(stage.root) ? join(stage.root, path) : path;
}

function words(json: string, stage: Stage): string[] {
  return (JSON.parse(json) as string[]).map((word) => inside(stage, word));
}

function newStage(root: string): Stage {
  mkdirSync(root, { recursive: true });
  return { root, folder: root, entrypoint: [], command: [], health: [], user: 'root', env: {} };
}

function instructionsOf(text: string): [string, string][] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => [line.split(/\s/)[0] ?? '', line.replace(/^\S+\s+/, '')]);
}

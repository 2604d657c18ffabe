import type { PackageType, ServerPackage } from '../../domain/server-config.ts';

/** A program that fetches and runs packages. */
export interface Runtime {
  command: string;
  /** Arguments before those of the configuration. */
  args: readonly string[];
  /** How to get it, for the user. */
  install: string;
  isContainer?: true;
}

/** Containers read the protocol from stdin and are removed when they end. */
export const CONTAINER_RUN = ['run', '--rm', '-i'] as const;

const NODE = 'It is part of Node.js: install Node.js from https://nodejs.org.';
const NPX: Runtime = { command: 'npx', args: ['-y'], install: NODE };
const UVX: Runtime = {
  command: 'uvx',
  args: [],
  install: 'It is part of uv: see https://docs.astral.sh/uv/getting-started/installation/.',
};
const DOCKER: Runtime = {
  command: 'docker',
  args: CONTAINER_RUN,
  install: 'Install Docker: see https://docs.docker.com/get-started/get-docker/.',
  isContainer: true,
};

/** The first of each type is the usual one. Others are chosen by `runtime_hint`; an unknown hint changes nothing. */
const RUNTIMES: Readonly<Partial<Record<PackageType, readonly [Runtime, ...Runtime[]]>>> = {
  npm: [
    NPX,
    { command: 'bunx', args: [], install: 'It is part of Bun: see https://bun.sh.' },
    { command: 'pnpm', args: ['dlx'], install: 'Install pnpm: see https://pnpm.io/installation.' },
  ],
  pypi: [UVX],
  docker: [
    DOCKER,
    { ...DOCKER, command: 'podman', install: 'Install Podman: see https://podman.io/docs/installation.' },
  ],
};

/** The program that runs a package; undefined where the package is itself a program, or remote. */
export function runtimeOf({ type, runtime_hint }: ServerPackage): Runtime | undefined {
  const known = RUNTIMES[type];
  return known?.find(({ command }) => command === runtime_hint) ?? known?.[0];
}

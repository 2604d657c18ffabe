// What `npm test` runs, in this order, and how much of which code each suite must cover (CORE-14).
import { filesBelow } from './checkout.mjs';

const ARCHITECTURE = 'tests/architecture.test.ts';

export const suites = [
  {
    name: 'unit',
    tests: ['src', ARCHITECTURE],
    // They share nothing but the process; one process per file takes about twice the CPU time.
    togetherBy: (file) => file.split('/').slice(0, -1).slice(0, 2).join('/'),
    coverage: {
      lines: 85,
      include: [
        /^src\/(operation|pipeline)\.ts$/,
        /^src\/domain\//,
        /^src\/[^/]+\/(operations|rules)\//,
        /^src\/connectors\/[^/]+\/(convert|schema)\.ts$/,
      ],
    },
  },
  {
    name: 'integration',
    tests: ['tests/integration'],
    needsBuild: true,
    coverage: {
      lines: 70,
      include: [/^src\/(storage|secrets|config|connectors|mcp|http|cli)\//],
    },
  },
  // Not recorded: they start many short programs, and the other suites reach the goals without them.
  { name: 'e2e', tests: ['tests/e2e'], needsBuild: true },
  { name: 'conformance', tests: ['tests/conformance'], needsBuild: true },
  // Only in soak runs, and where it is named: it installs the real programs.
  { name: 'assistants', tests: ['tests/assistants'], needsBuild: true, needsAssistants: true },
];

/** All suites together; those that are not recorded can only cover more. */
export const overall = { lines: 80, include: [/^src\//] };

/** Checks that count as tests, run side by side. `npm test` runs those that are unit tests with the unit tests. */
export const checks = [
  { name: 'types', command: 'tsc', args: ['--noEmit'] },
  { name: 'lint', command: 'biome', args: ['check'] },
  { name: 'unused code', command: 'knip', args: ['--no-progress'] },
  { name: 'import table', command: 'node', args: ['--test', ARCHITECTURE], isUnitTest: true },
];

/** Test files of a suite, relative to the checkout. */
export function testFiles({ tests }) {
  const files = tests.flatMap((path) => (path.endsWith('.ts') ? [path] : filesBelow(path)));
  return files.filter((file) => file.endsWith('.test.ts')).sort();
}

/** The same files in groups, each of which runs in a separate process. */
export function groupsOf({ togetherBy = (file) => file }, files) {
  const groups = new Map();
  for (const file of files) groups.set(togetherBy(file), [...(groups.get(togetherBy(file)) ?? []), file]);
  return [...groups.values()];
}

import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Every folder with a `capability.ts`. */
const CAPABILITIES = filesIn('src/*/capability.ts').map((file) => file.split('/')[1] ?? '');
const EVERYTHING = 'everything';
const CONTRACT = 'connectors/connector.ts';
const MAIL_CONTRACT = 'connectors/mail-connector.ts';
const STORE_DEFINITION = 'storage/definition.ts';
const CAPABILITY_MAY_IMPORT = [
  'capability',
  'domain',
  'lib',
  'operation',
  'settings',
  CONTRACT,
  MAIL_CONTRACT,
  STORE_DEFINITION,
];

/** Which rooms, or single files, a room may import besides itself. A file directly in `src` is a room of its own. */
const MAY_IMPORT: Record<string, readonly string[] | typeof EVERYTHING> = {
  main: ['agentmail-program', 'cli', 'lib', 'shim'],
  // The `agentmail` command: its first module, and what it shares with `switchboard agentmail`.
  'agentmail-main': ['agentmail-program', 'lib'],
  'agentmail-program': ['agentmail', 'agentmail-mcp', 'lib'],
  'agentmail-mcp': ['agentmail', 'cli', 'lib', 'shim'],
  shim: ['lib'],
  // A daemon is found and started by what the shim finds and starts it with.
  daemon: ['capability', 'domain', 'lib', 'operation', 'shim'],
  // `compose.ts`, and in `compose/` what it loads only when it is needed.
  compose: EVERYTHING,
  capability: ['domain', 'lib', 'operation', STORE_DEFINITION],
  operation: ['capability', 'domain', 'lib'],
  pipeline: ['capability', 'domain', 'lib', 'operation'],
  domain: [],
  lib: [],
  // The kinds of field that the settings of all parts are made of.
  settings: [],
  ...Object.fromEntries(
    CAPABILITIES.map((name) => [name, [...CAPABILITY_MAY_IMPORT, `storage/sqlite/${name}/store.ts`]]),
  ),
  connectors: ['domain', 'lib', 'settings'],
  storage: ['domain', 'lib', ...CAPABILITIES.map((name) => `${name}/ports.ts`)],
  assistants: ['domain', 'lib'],
  doctor: ['domain', 'lib'],
  service: ['domain', 'lib'],
  secrets: ['domain', 'lib'],
  config: ['capability', 'domain', 'lib', 'settings'],
  telemetry: ['domain', 'lib'],
  mcp: ['capability', 'domain', 'lib', 'operation'],
  http: ['capability', 'domain', 'lib', 'operation'],
  cli: ['capability', 'domain', 'lib', 'operation'],
  web: [],
};

/** Single files that may reach further, each for one reason. */
const EXCEPTIONS: Record<string, readonly string[]> = {
  // The door that starts the program asks for the program, late, so that `--help` does not load it.
  'cli/run.ts': ['compose'],
};

interface Import {
  specifier: string;
  /** Needed before the module can run: neither `import type` nor `import(…)`. */
  eager: boolean;
}

const sources = filesIn('src/**/*.{ts,tsx}').filter((file) => !/\.test\.tsx?$/.test(file));
const code = filesIn('{src,tests,bench,scripts}/**/*.{ts,tsx,mjs}');

describe('the import table', () => {
  test('every source file is in a room of the table', () => {
    const strangers = sources.filter((file) => !(roomOf(withinSrc(file)) in MAY_IMPORT));

    assert.deepEqual(strangers, []);
  });

  test('every room imports only what the table allows', () => {
    const wrong = sources.flatMap((file) =>
      importsOf(read(file))
        .filter(({ specifier }) => specifier.startsWith('.'))
        .map(({ specifier }) => withinSrc(join(dirname(file), specifier)))
        .filter((target) => !allowed(withinSrc(file), target))
        .map((target) => `${file} imports ${target}`),
    );

    assert.deepEqual(wrong, []);
  });

  test('the table refuses what it should', () => {
    const refused: [string, string][] = [
      ['domain/ids.ts', 'lib/clock.ts'],
      ['chat/operations/get-messages.ts', 'email/ports.ts'],
      ['chat/operations/get-messages.ts', 'storage/sqlite/messages.ts'],
      ['chat/operations/get-messages.ts', 'connectors/irc/client.ts'],
      ['connectors/irc/index.ts', 'connectors/xmpp/convert.ts'],
      ['storage/sqlite/sessions.ts', 'system/session-view.ts'],
      ['http/server.ts', 'mcp/http.ts'],
      ['mcp/server.ts', 'compose.ts'],
      ['main.ts', 'compose.ts'],
    ];

    const wrong = refused.filter(([from, to]) => allowed(from, to));

    assert.deepEqual(wrong, []);
  });

  test('the table allows what it should', () => {
    const wanted: [string, string][] = [
      ['chat/operations/get-messages.ts', 'chat/ports.ts'],
      ['chat/capability.ts', 'connectors/connector.ts'],
      ['connectors/irc/index.ts', 'connectors/connector.ts'],
      ['connectors/registry.ts', 'connectors/irc/index.ts'],
      ['storage/sqlite/sessions.ts', 'system/ports.ts'],
      ['cli/run.ts', 'compose.ts'],
      ['compose.ts', 'http/server.ts'],
    ];

    const wrong = wanted.filter(([from, to]) => !allowed(from, to));

    assert.deepEqual(wrong, []);
  });
});

describe('what is imported from outside', () => {
  test('the domain does no input or output', () => {
    const wrong = sources
      .filter((file) => roomOf(withinSrc(file)) === 'domain')
      .flatMap((file) => foreignImports(file).map(({ specifier }) => `${file} imports ${specifier}`))
      .filter((line) => !line.endsWith(' node:crypto'));

    assert.deepEqual(wrong, []);
  });

  test('what is loaded first loads no package before they need it', () => {
    const wrong = sources
      .filter((file) => isFirstToLoad(withinSrc(file)))
      .flatMap((file) => foreignImports(file).map((each) => ({ file, ...each })))
      .filter(({ specifier, eager }) => eager && !specifier.startsWith('node:'))
      .map(({ file, specifier }) => `${file} imports ${specifier}`);

    assert.deepEqual(wrong, []);
  });

  test('imports are found in all their forms', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      'import {',
      '  c,',
      "} from './c.ts';",
      "export * from './d.ts';",
      "import './e.ts';",
      "const f = await Promise.all([import('./f.ts'), import('./i.ts')]);",
      "type G = import('./g.ts').G;",
      "// import h from './h.ts';",
    ].join('\n');

    const found = importsOf(text);

    assert.deepEqual(found.map(({ specifier, eager }) => `${specifier} ${eager}`).sort(), [
      './a.ts true',
      './b.ts false',
      './c.ts true',
      './d.ts true',
      './e.ts true',
      './f.ts false',
      './g.ts false',
      './i.ts false',
    ]);
  });
});

/** What may be done with files that are open already, or without opening them. */
const HARMLESS = new Set([
  ...['close', 'closeSync', 'constants', 'existsSync', 'fdatasyncSync', 'fstatSync', 'fsyncSync', 'ftruncateSync'],
  ...['FSWatcher', 'lstatSync', 'read', 'readSync', 'realpathSync', 'Stats', 'statSync', 'watch', 'writeSync'],
]);

/** Files of agent mail that open something which is not in a repository, each for one reason. */
const OPENS_OTHER_FILES = [
  // Processes in /proc, and sockets of tmux.
  /^agentmail\/tmux\//,
  /^agentmail\/mailman\/own-processes\.ts$/,
  /^agentmail\/delivery\/wake-methods\.ts$/,
  // Standard input, and files in the home.
  /^agentmail\/(command\/stdin|announced\/announced?(-repositories)?)\.ts$/,
];

describe('files of a repository', () => {
  test('are opened by one module only', () => {
    const wrong = sources
      .map(withinSrc)
      .filter((file) => roomOf(file) === 'agentmail' && file !== 'agentmail/repository/repository-file.ts')
      .filter((file) => !OPENS_OTHER_FILES.some((known) => known.test(file)))
      .flatMap((file) => namesFrom(`src/${file}`, /node:fs(?:\/promises)?/).map((name) => `${file} imports ${name}`))
      .filter((line) => !HARMLESS.has(line.slice(line.lastIndexOf(' ') + 1)));

    assert.deepEqual(wrong, []);
  });

  test('are opened as a database by one module only', () => {
    const wrong = sources
      .filter((file) => roomOf(withinSrc(file)) === 'agentmail' && namesFrom(file, /node:sqlite/).length > 0)
      .filter((file) => file !== 'src/agentmail/delivery/state-file.ts');

    assert.deepEqual(wrong, []);
  });

  test("git's own files are read by agent mail only", () => {
    const wrong = sources
      .filter((file) => /['"`/]\.git['"`/]/.test(read(file)))
      .filter((file) => !file.startsWith('src/agentmail/repository/'));

    assert.deepEqual(wrong, []);
  });
});

describe('what reaches a terminal', () => {
  /** Which files write to standard output or standard error themselves, and what. */
  const WRITERS: Record<string, string> = {
    'src/cli/terminal.ts': 'every command: all text passes visibleText',
    'src/agentmail/command/output.ts': 'the agentmail command: all text passes visibleText',
    'src/shim/run.ts': 'lines of the protocol; sentences pass visibleLines',
    'src/lib/stderr.ts': 'the log, whose lines are made in log.ts and log-pretty.ts',
    'src/lib/stdout-guard.ts': 'what libraries print',
    'src/lib/newer-node.ts': 'two sentences of ours, on an old Node',
    'src/main.ts': 'the version',
    'src/agentmail-mcp.ts': 'a sentence of ours',
    'src/shim/remote.ts': 'lines of the protocol',
    'src/mcp/attached-client.ts': 'lines of the protocol',
    'src/secrets/keychain.ts': 'a child process of ours, to its parent',
  };
  const WRITES =
    /\bprocess\s*(?:\.|\[\W?)\s*std(?:out|err)\b|\bconsole\.\w+\(|\bwriteSync\((?:1|2|STDOUT|STDERR|to)\b|\/dev\/(?:tty|stdout|stderr)|\{[^}]*\bstd(?:out|err)\b[^}]*\} = process\b/;

  test('is written in one file of each program', () => {
    const wrong = sources.filter((file) => WRITES.test(read(file)) && !(file in WRITERS));

    assert.deepEqual(wrong, []);
  });

  test('is unchanged only where it is a control sequence of ours or an echo', () => {
    const raw = sources.filter((file) => /\bwriteRaw\(/.test(read(file)));

    assert.deepEqual(raw, ['src/cli/dialog.ts', 'src/cli/progress.ts', 'src/cli/terminal.ts']);
  });

  test('the rule finds every way of writing', () => {
    const ways = [
      'process.stdout.write(x)',
      'void process.stderr;',
      "process['stdout']",
      'console.log(x)',
      'writeSync(1, x)',
      'const { stdin, stdout } = process;',
      "openSync('/dev/tty')",
    ];

    assert.deepEqual(
      ways.filter((way) => !WRITES.test(way)),
      [],
    );
  });
});

describe('how files look', () => {
  test('no file has more than 400 lines', () => {
    const long = code.filter((file) => read(file).trimEnd().split('\n').length > 400);

    assert.deepEqual(long, []);
  });

  test('compose is wiring: it stays under 700 lines', () => {
    const files = filesIn('src/{compose.ts,compose/*.ts}').filter((file) => !file.endsWith('.test.ts'));

    const lines = files.reduce((sum, file) => sum + read(file).trimEnd().split('\n').length, 0);

    assert.ok(lines < 700, `compose.ts and compose/ have ${lines} lines`);
  });

  test('modules have named exports only', () => {
    const wrong = code.filter(
      (file) => !file.endsWith('.mjs') && /^export (default\b|\{[^}]*\bas default\b)/m.test(read(file)),
    );

    assert.deepEqual(wrong, []);
  });

  test('file names are kebab-case and say what is inside', () => {
    const wrong = code.filter((file) => {
      const name = file.slice(file.lastIndexOf('/') + 1);
      return !/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(name) || /(^|[.-])(utils?|helpers?|managers?|misc)[.-]/.test(name);
    });

    assert.deepEqual(wrong, []);
  });

  test('every capability has its ports, and is in compose.ts', () => {
    const compose = read('src/compose.ts');

    const missing = CAPABILITIES.filter((name) => !existsSync(join(root, 'src', name, 'ports.ts')));
    const forgotten = CAPABILITIES.filter((name) => !compose.includes(`'./${name}/capability.ts'`));

    assert.deepEqual({ missing, forgotten }, { missing: [], forgotten: [] });
  });

  test('every connector is in the registry', () => {
    const folder = join(root, 'src/connectors');
    const kinds = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];
    const registry = existsSync(join(folder, 'registry.ts')) ? read('src/connectors/registry.ts') : '';

    // Exports of other programs are read, not connected to; mail has accounts instead of sources, and
    // `mime` reads emails of both.
    const networks = kinds.filter((kind) => kind.isDirectory() && !['archive', 'imap', 'mime'].includes(kind.name));
    const forgotten = networks.filter((kind) => !registry.includes(`./${kind.name}/`));

    assert.deepEqual(
      forgotten.map(({ name }) => name),
      [],
    );
  });
});

function allowed(from: string, to: string): boolean {
  const [room, target] = [roomOf(from), roomOf(to)];
  if (EXCEPTIONS[from]?.includes(target)) return true;
  if (room === 'connectors' && target === 'connectors') return allowedBetweenConnectors(from, to);
  if (room === target) return true;
  const rooms = MAY_IMPORT[room] ?? [];
  return rooms === EVERYTHING || rooms.includes(target) || rooms.includes(to);
}

function allowedBetweenConnectors(from: string, to: string): boolean {
  const sameKind = from.split('/')[1] === to.split('/')[1];
  const isShared = (to.split('/').length === 2 && to !== 'connectors/registry.ts') || to.startsWith('connectors/mime/');
  return sameKind || isShared || from === 'connectors/registry.ts';
}

/** What is loaded whenever a program starts: for agent mail that is all but its operations, because a command is short. */
function isFirstToLoad(file: string): boolean {
  if (['main', 'shim', 'lib', 'agentmail-main', 'agentmail-program', 'agentmail-mcp'].includes(roomOf(file)))
    return true;
  return (
    roomOf(file) === 'agentmail' && !/^agentmail\/(operations\/|capability\.ts|ports\.ts|token-grants\.ts)/.test(file)
  );
}

/** `chat` of `chat/ports.ts`, `compose` of `compose.ts`. */
function roomOf(file: string): string {
  return file.split('/')[0]?.replace(/\.tsx?$/, '') ?? file;
}

function foreignImports(file: string): Import[] {
  return importsOf(read(file)).filter(({ specifier }) => !specifier.startsWith('.'));
}

function importsOf(text: string): Import[] {
  const statements = text.matchAll(/^(?:import|export)(\s+type)?\s(?:[^;'"]*?\sfrom\s*)?['"]([^'"]+)['"]/gm);
  const expressions = text.replace(/^\s*(?:\/\/|\*).*$/gm, '').matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g);
  return [
    ...[...statements].map(([, type, specifier = '']) => ({ specifier, eager: type === undefined })),
    ...[...expressions].map(([, specifier = '']) => ({ specifier, eager: false })),
  ];
}

/** The names that a file imports from a module of Node, without `type`. */
function namesFrom(file: string, module: RegExp): string[] {
  const statements = read(file).matchAll(new RegExp(`import\\s*([^;]*?)\\s*from '(?:${module.source})'`, 'g'));
  return [...statements].flatMap(([, names = '']) => {
    const listed = /^\{([^}]*)\}$/.exec(names.replace(/^type\s+/, ''))?.[1];
    // A namespace has everything.
    if (listed === undefined) return ['everything'];
    return listed.split(',').flatMap(
      (name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] || [],
    );
  });
}

function withinSrc(file: string): string {
  return file.replace(/^src\//, '');
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

function filesIn(glob: string): string[] {
  return globSync(glob, { cwd: root }).sort();
}

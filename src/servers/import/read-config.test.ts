import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fill, missing } from '../draft/draft.ts';
import { type ReadServersOptions, readServers } from './read-config.ts';

const SURROUNDINGS = { env: { SET: 'value', GITHUB_TOKEN: 'from env', EMPTY: '' }, userHome: '/home/me' };

describe('the servers of other programs', () => {
  test('are read from Claude Desktop, with comments and trailing commas', () => {
    const { drafts, skipped, inputs } = readServers(
      `\uFEFF{
        // my servers
        "mcpServers": {
          "files": { "command": "npx", "args": ["-y", "@scope/files@1.2.3", "/data", "--fast"], },
          "notes": { "command": "uvx", "args": ["notes-mcp"], "env": { "NOTES_API_KEY": "k", "MODE": "x" } },
        },
      }`,
      { ...SURROUNDINGS, path: '/home/me/.config/Claude/claude_desktop_config.json' },
    );

    assert.deepEqual({ skipped, inputs }, { skipped: [], inputs: [] });
    assert.deepEqual(
      drafts.map(({ template, ...draft }) => draft),
      [
        {
          name: 'files',
          source: { type: 'import', program: 'claude-desktop' },
          enabled: true,
          package: { type: 'npm', identifier: '@scope/files', version: '1.2.3' },
          transport: { type: 'stdio' },
          args: ['/data', '--fast'],
          env_vars: {},
          inputs: [],
        },
        {
          name: 'notes',
          source: { type: 'import', program: 'claude-desktop' },
          enabled: true,
          package: { type: 'pypi', identifier: 'notes-mcp' },
          transport: { type: 'stdio' },
          args: [],
          env_vars: { NOTES_API_KEY: { value: 'k', is_secret: true }, MODE: { value: 'x', is_secret: false } },
          inputs: [],
        },
      ],
    );
  });

  test('are read from Claude Code, with those of its projects, each once', () => {
    const tool = { type: 'stdio', command: './run', args: [`\${SET}`, `\${UNSET:-other}`] };
    const { drafts } = read(
      {
        mcpServers: { remote: { type: 'http', url: 'https://example.com/mcp' } },
        projects: { '/code/a': { mcpServers: { tool } }, '/code/b': { mcpServers: { remote: { url: 'https://b' } } } },
      },
      { path: '/home/me/.claude.json' },
    );

    assert.deepEqual(
      drafts.map(({ name, package: { identifier }, args, cwd }) => ({ name, identifier, args, cwd })),
      [
        { name: 'remote', identifier: 'https://example.com/mcp', args: undefined, cwd: undefined },
        { name: 'tool', identifier: '/code/a/run', args: ['value', 'other'], cwd: '/code/a' },
        { name: 'remote', identifier: 'https://b', args: undefined, cwd: undefined },
      ],
    );
  });

  test('are read from VS Code, with inputs that are asked for', () => {
    const { drafts, inputs } = read(
      {
        inputs: [
          { id: 'key', type: 'promptString', description: 'The key', password: true },
          { id: 'level', type: 'pickString', options: ['low', { label: 'High', value: 'high' }], default: 'low' },
        ],
        servers: {
          tool: {
            type: 'stdio',
            command: 'node',
            args: [`\${workspaceFolder}/server.js`, '--level', `\${input:level}`],
            env: { TOOL_KEY: `\${input:key}`, HOME_FOLDER: `\${userHome}\${/}x`, GONE: null, COUNT: 3 },
            cwd: `\${workspaceFolder}`,
          },
        },
      },
      { path: '/code/project/.vscode/mcp.json' },
    );

    assert.deepEqual(inputs, [
      { key: 'level', kind: 'argument', required: true, secret: false, default: 'low', choices: ['low', 'high'] },
      { key: 'key', kind: 'env', required: true, secret: true, description: 'The key' },
    ]);
    const [draft] = drafts;
    assert.ok(draft);
    assert.deepEqual(draft.package, { type: 'binary', identifier: 'node' });
    const filled = fill(draft, { key: 's', level: 'high' });
    assert.deepEqual(filled.args, ['/code/project/server.js', '--level', 'high']);
    assert.deepEqual(filled.env_vars, {
      HOME_FOLDER: { value: '/home/me/x', is_secret: false },
      COUNT: { value: '3', is_secret: false },
      TOOL_KEY: { value: 's', is_secret: true, required: true },
    });
    assert.equal(filled.cwd, '/code/project');
  });

  test('are read from the settings of VS Code, from Cursor and from Windsurf', () => {
    const vscode = read({ mcp: { inputs: [], servers: { a: { command: 'x' } } }, 'editor.fontSize': 12 });
    const cursor = read(
      {
        mcpServers: { b: { url: 'https://b', headers: { Authorization: `Bearer \${env:GITHUB_TOKEN}`, Accept: 'x' } } },
      },
      { path: '/code/project/.cursor/mcp.json' },
    );
    const windsurf = read({ mcpServers: { c: { serverUrl: 'https://c/sse', type: 'sse', disabledTools: ['rm'] } } });

    assert.equal(vscode.drafts[0]?.package.identifier, 'x');
    assert.deepEqual(cursor.drafts[0]?.headers, {
      Authorization: { value: 'Bearer from env', is_secret: true },
      Accept: { value: 'x', is_secret: false },
    });
    assert.deepEqual(windsurf.drafts[0]?.transport, { type: 'sse', url: 'https://c/sse' });
    assert.deepEqual(windsurf.drafts[0]?.tools, { deny: ['rm'] });
  });

  test('are disabled if they were, and sign in as they did', () => {
    const { drafts } = read({
      mcpServers: {
        off: { command: 'x', disabled: true },
        oauth: { url: 'https://x', oauth: { clientId: 'id', scopes: 'a b' } },
        cursor: { url: 'https://y', auth: { CLIENT_ID: 'id', CLIENT_SECRET: `\${env:SET}`, scopes: ['a'] } },
      },
    });

    assert.deepEqual(
      drafts.map(({ enabled, auth, secrets }) => [enabled, auth, secrets]),
      [
        [false, undefined, undefined],
        [true, { type: 'oauth', client_id: 'id', scopes: ['a', 'b'] }, undefined],
        [true, { type: 'oauth', client_id: 'id', scopes: ['a'] }, { oauth_client_secret: 'value' }],
      ],
    );
  });
});

describe('a variable that is not set', () => {
  test('is asked for, and is never empty or the text of its reference', () => {
    const { drafts, inputs } = read({
      mcpServers: {
        a: { command: 'x', args: [`--user=\${env:USER_ID}`], env: { A_TOKEN: `Bearer \${EMPTY}`, B: `\${env:UNSET}` } },
        b: { url: `https://\${env:HOST}/mcp?x=\${env:MY_API_KEY}`, headers: { 'X-Team': `\${TEAM}` } },
      },
    });
    const [a, b] = drafts;
    assert.ok(a && b);

    assert.deepEqual(
      inputs.map(({ key, kind, secret }) => [key, kind, secret]),
      [
        ['USER_ID', 'argument', false],
        ['EMPTY', 'env', true],
        ['UNSET', 'env', false],
        ['HOST', 'variable', false],
        ['MY_API_KEY', 'variable', true],
        ['TEAM', 'header', false],
      ],
    );
    assert.equal(missing(a).length, 3);
    assert.doesNotMatch(JSON.stringify([a.env_vars, a.args]), /\$\{/);
    const filled = fill(b, { HOST: 'h', MY_API_KEY: 'k', TEAM: 't' });
    assert.deepEqual(filled.transport, { type: 'http', url: `https://h/mcp?x=\${secret:MY_API_KEY}` });
    assert.deepEqual(filled.secrets, { MY_API_KEY: 'k' });
  });

  test('is asked for where a container would get it from the environment', () => {
    const { drafts } = read({
      mcpServers: {
        gh: {
          command: 'docker',
          args: [
            'run',
            '-i',
            '--rm',
            '-e',
            'GITHUB_TOKEN',
            '-e',
            'GH_HOST',
            '-e',
            'LOG=1',
            '-v',
            '/a:/b',
            'ghcr.io/x/y:1',
            'stdio',
          ],
        },
      },
    });

    const [draft] = drafts;
    assert.deepEqual(draft?.package, { type: 'docker', identifier: 'ghcr.io/x/y:1', runtime_args: ['-v', '/a:/b'] });
    assert.deepEqual(draft.args, ['stdio']);
    assert.deepEqual(draft.env_vars, {
      GITHUB_TOKEN: { value: 'from env', is_secret: true },
      LOG: { value: '1', is_secret: false },
      GH_HOST: { is_secret: false, required: true },
    });
  });
});

describe('a command', () => {
  test('that is not as we would start the package stays as it is', () => {
    const commands: [string, ...string[]][] = [
      ['npx', 'pkg'],
      ['npx', '-y', '--package=a', 'b'],
      ['npx', '-y', 'git+https://example.com/x'],
      ['/usr/bin/npx', '-y', 'pkg'],
      ['uvx', '--from', 'x', 'y'],
      ['docker', 'run', '-i', 'image'],
      ['docker', 'run', '-it', '--rm', 'image'],
      ['docker', 'run', '-i', '--rm', '--unknown', 'image'],
      ['docker', 'compose', 'up'],
    ];

    for (const [command, ...args] of commands) {
      const [draft] = read({ mcpServers: { x: { command, args } } }).drafts;
      assert.deepEqual([draft?.package, draft?.args], [{ type: 'binary', identifier: command }, args]);
    }
  });

  test('may refer to its own variables, which the server replaces', () => {
    const args = ['-y', 'mcp-remote', 'https://x', '--header', `Authorization:\${AUTH_HEADER}`];

    const { drafts } = read({ mcpServers: { x: { command: 'npx', args, env: { AUTH_HEADER: 'Bearer k' } } } });

    assert.deepEqual(drafts[0]?.args, args.slice(2));
    assert.deepEqual(drafts[0]?.env_vars, { AUTH_HEADER: { value: 'Bearer k', is_secret: true } });
  });

  test('has the variables of its envFile, below its own', () => {
    const files: Record<string, string> = { '/code/p/.env': '# x\nA=1\nB="two words"\nMY_TOKEN=$' + '{SET}\n' };

    const { drafts, skipped } = read(
      {
        servers: {
          x: { command: 'x', envFile: `\${workspaceFolder}/.env`, env: { A: '2' } },
          y: { command: 'y', envFile: 'missing' },
        },
      },
      { path: '/code/p/.vscode/mcp.json', readText: (path) => files[path] },
    );

    assert.deepEqual(drafts[0]?.env_vars, {
      B: { value: 'two words', is_secret: false },
      MY_TOKEN: { value: `\${SET}`, is_secret: true },
      A: { value: '2', is_secret: false },
    });
    assert.deepEqual(skipped, [{ name: 'y', reason: 'its envFile cannot be read' }]);
  });
});

describe('a server that cannot be imported', () => {
  test('is skipped with the reason, and the others are not', () => {
    const inputs = [{ id: 'run', type: 'command', command: 'touch x' }];
    const bad: Record<string, unknown> = {
      websocket: { type: 'ws', url: 'wss://x' },
      helper: { url: 'https://x', headersHelper: './token.sh' },
      'command input': { command: 'x', env: { A: `\${input:run}` } },
      'unknown input': { command: 'x', args: [`\${input:none}`] },
      'vs code command': { command: 'x', args: [`\${command:extension.token}`] },
      socket: { url: 'unix:///tmp/x#/mcp' },
      password: { url: 'https://me:pw@x/' },
      'not http': { url: 'file:///etc/passwd' },
      empty: {},
      'no command': { type: 'stdio', command: ' ' },
      'secret flag': { command: 'x', args: ['--api-key', 'k'] },
      'secret reference': { command: 'x', args: [`\${env:GITHUB_TOKEN}`] },
      'secret input': { command: 'x', args: [`\${env:OTHER_TOKEN}`] },
      'reference to a stored secret': { url: 'https://x', headers: { 'X-A': `\${NONE:-$}{secret:TOKEN}` } },
      header: { url: 'https://x', headers: { 'A B': 'x' } },
      variable: { command: 'x', env: { 'A=B': 'x' } },
      'secret by its other use': { command: 'x', args: [`\${A}`], env: { MY_KEY: `\${A}` } },
      'secret program': { command: `\${MY_TOKEN}` },
      'hidden input': { command: 'x', args: [`\0A\0\${B}`], env: { B: 'x' } },
      nul: { command: 'x', args: ['a\0b'] },
      list: [],
      text: 'x',
      switchboard: { command: '/opt/run' },
      ours: { command: '/usr/bin/switchboard', args: ['mcp'] },
      installed: { command: '/usr/bin/node', args: ['/usr/lib/node_modules/agent-switchboard/dist/cli.js', 'mcp'] },
      package: { command: 'npx', args: ['-y', 'agent-switchboard@1.0.0', 'mcp'] },
    };

    const { drafts, skipped } = read({ inputs, servers: { ...bad, good: { command: 'x' } } });

    assert.deepEqual(
      drafts.map(({ name }) => name),
      ['good'],
    );
    assert.deepEqual(
      skipped.map(({ name }) => name),
      Object.keys(bad),
    );
    assert.doesNotMatch(JSON.stringify(skipped.map(({ reason }) => reason)), /token\.sh|touch|from env|passwd/);
  });

  test('and secrets in the query of an address are kept apart', () => {
    const { drafts } = read({ mcpServers: { x: { url: 'https://x/mcp?api_key=a%26b&team=red' } } });

    assert.deepEqual(drafts[0]?.transport, {
      type: 'http',
      url: `https://x/mcp?api_key=\${secret:query_api_key}&team=red`,
    });
    assert.deepEqual(drafts[0]?.secrets, { query_api_key: 'a&b' });
    assert.equal(drafts[0]?.package.identifier, `https://x/mcp?api_key=\${secret:query_api_key}&team=red`);
  });
});

describe('a hostile file', () => {
  test('that is not JSON, or not an object, is an error with its line', () => {
    assert.throws(() => readServers('{\n"a": [1,,}', SURROUNDINGS), {
      code: 'VALIDATION_ERROR',
      field: 'path',
      message: 'The configuration is not JSON: line 2.',
    });
    for (const text of ['', '[]', '1', '"x"', 'null', '{'.repeat(100_000), '['.repeat(100_000)]) {
      assert.throws(() => readServers(text, SURROUNDINGS), { code: 'VALIDATION_ERROR' }, text.slice(0, 20));
    }
  });

  test('may be nested deep, have __proto__ as a key and long texts', () => {
    const deep = `${'{"a":'.repeat(1_000)}1${'}'.repeat(1_000)}`;
    const { drafts, skipped } = readServers(
      `{"__proto__":{"polluted":1},"mcpServers":{"__proto__":{"command":"x"},"deep":${deep},
        "env":{"command":"x","env":{"__proto__":"y","constructor":"z"}},"long":{"command":"${'x'.repeat(1e6)}"}}}`,
      SURROUNDINGS,
    );

    assert.equal(({} as Record<string, unknown>).polluted, undefined);
    assert.deepEqual(
      drafts.map(({ name }) => name),
      ['__proto__', 'env'],
    );
    assert.deepEqual(
      skipped.map(({ name }) => name),
      ['deep', 'long'],
    );
  });

  test('is read or refused, whatever is in it', () => {
    const entry = fc.record(
      {
        type: fc.constantFrom('stdio', 'http', 'sse', 'ws'),
        command: fc.string(),
        args: fc.array(fc.oneof(fc.string(), fc.constantFrom('-y', 'run', '-i', '--rm', '-e', `\${A:-\${B}}`, `\${`))),
        env: fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.jsonValue())),
        url: fc.oneof(fc.webUrl({ withQueryParameters: true }), fc.string()),
        headers: fc.dictionary(fc.string(), fc.string()),
        envFile: fc.string(),
        cwd: fc.string(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(entry, fc.jsonValue())), (servers) => {
        const { drafts, skipped } = read({ servers }, { readText: () => undefined });

        assert.ok(drafts.length + skipped.length <= Object.keys(servers).length);
        for (const draft of drafts) fill(draft, {});
      }),
    );
  });
});

function read(config: unknown, options: ReadServersOptions = {}) {
  return readServers(JSON.stringify(config), { ...SURROUNDINGS, ...options });
}

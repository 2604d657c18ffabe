import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { missing } from './draft.ts';
import { parseServerLine } from './server-line.ts';
import { splitWords } from './words.ts';

describe('a server from one line', () => {
  test('is an npm package, a PyPI package, an image, a program or an address (MR-T10)', () => {
    const lines: [string, string, string, string, string?][] = [
      ['npx -y @scope/server-github --flag', 'npm', '@scope/server-github', 'github', '--flag'],
      ['npx @scope/pkg', 'npm', '@scope/pkg', 'pkg'],
      ['@scope/pkg', 'npm', '@scope/pkg', 'pkg'],
      ['uvx mcp-server-fetch', 'pypi', 'mcp-server-fetch', 'fetch'],
      [
        'docker run -i --rm ghcr.io/github/github-mcp-server:1 stdio',
        'docker',
        'ghcr.io/github/github-mcp-server:1',
        'github',
        'stdio',
      ],
      ['docker run mcp/time', 'docker', 'mcp/time', 'time'],
      ['mcp/time', 'docker', 'mcp/time', 'time'],
      ['/usr/local/bin/server', 'binary', '/usr/local/bin/server', 'server'],
      ['/opt/x/run.sh "two words"', 'binary', '/opt/x/run.sh', 'run', 'two words'],
      ['./build/server', 'binary', './build/server', 'server'],
      ['~/bin/x', 'binary', '~/bin/x', 'x'],
      ['node server.js', 'binary', 'node', 'node', 'server.js'],
      ['uvx --from a b', 'binary', 'uvx', 'uvx', '--from'],
    ];

    for (const [line, type, identifier, name, argument] of lines) {
      const draft = parseServerLine(line);
      assert.deepEqual(
        [draft.package.type, draft.package.identifier, draft.name, draft.args?.[0]],
        [type, identifier, name, argument],
        line,
      );
      assert.deepEqual(draft.transport, { type: 'stdio' });
    }
  });

  test('is relative to the folder in which it was typed', () => {
    assert.equal(parseServerLine('./build/x', { cwd: '/code' }).package.identifier, '/code/build/x');
    assert.equal(parseServerLine('mcp/x', { cwd: '/code' }).package.identifier, 'mcp/x');
  });

  test('at an address keeps the secrets of its query apart', () => {
    const draft = parseServerLine(' https://mcp.example.com/mcp?team=a&api_key=k ');

    assert.equal(draft.name, 'example');
    assert.deepEqual(draft.transport, {
      type: 'http',
      url: `https://mcp.example.com/mcp?team=a&api_key=\${secret:query_api_key}`,
    });
    assert.deepEqual(draft.secrets, { query_api_key: 'k' });
    assert.equal(parseServerLine('http://127.0.0.1:8080/mcp').name, '127.0.0.1');
  });

  test('has the variables before it, and asks for those that a container would get', () => {
    const draft = parseServerLine(`A_TOKEN='x y' MODE=fast docker run -i --rm -e A_TOKEN -e B_KEY -e C=1 mcp/x`);

    assert.deepEqual(draft.env_vars, {
      C: { value: '1', is_secret: false },
      A_TOKEN: { value: 'x y', is_secret: true },
      MODE: { value: 'fast', is_secret: false },
      B_KEY: { is_secret: true, required: true },
    });
    assert.deepEqual(
      missing(draft).map(({ key }) => key),
      ['B_KEY'],
    );
  });

  test('is refused when it needs a shell, is not closed, or is no server', () => {
    const wrong = [
      '',
      '   ',
      'A=b',
      'npx x | tee',
      'x; y',
      'x && y',
      'x > y',
      'x $(id)',
      'A=$(id) x',
      'x `id`',
      'x "$(id)"',
      'x "y',
      "x 'y",
    ];
    const addresses = ['https://', 'https://u:p@x', 'https://x y', `x ${'y'.repeat(10_000)}`, 'x a\0b'];

    for (const line of [...wrong, ...addresses]) {
      assert.throws(() => parseServerLine(line), { code: 'VALIDATION_ERROR', field: 'command' }, line.slice(0, 30));
    }
  });

  test('has the words that were quoted, whatever is in them', () => {
    const words = fc.array(
      fc.string().filter((word) => !word.includes('\0')),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(words, (args) => {
        const quoted = args.map((word) => `'${word.replaceAll("'", `'\\''`)}'`);

        assert.deepEqual(parseServerLine(`/x ${quoted.join(' ')}`).args, args);
        assert.deepEqual(
          splitWords(quoted.join('\t'))?.map(({ text }) => text),
          args,
        );
      }),
    );
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StdioLaunch } from './launch.ts';
import { removeTomlEntry, setTomlEntry, showTomlEntry } from './toml-entry.ts';
import { NotToml } from './toml-statements.ts';
import { WrongShape } from './wrong-shape.ts';

const ENTRY: StdioLaunch = {
  kind: 'stdio',
  command: '/bin/node',
  args: ['/cli.js', 'mcp'],
  env: { SWITCHBOARD_HOME: '/home of "mine"' },
};
const SHOWN = `[mcp_servers.ours]
command = "/bin/node"
args = ["/cli.js", "mcp"]

[mcp_servers.ours.env]
SWITCHBOARD_HOME = "/home of \\"mine\\""
`;
const set = (text: string, entry = ENTRY) => setTomlEntry(text, 'ours', entry);

describe('an entry in a TOML file', () => {
  test('is shown as a separate section', () => {
    assert.equal(showTomlEntry('ours', ENTRY), SHOWN);
    assert.equal(
      showTomlEntry('ours', { ...ENTRY, env: {} }),
      SHOWN.slice(0, SHOWN.indexOf('\n[mcp_servers.ours.env]')),
    );
  });

  test('is appended to a file, which is otherwise unchanged, and a second call changes nothing', () => {
    for (const text of [
      '',
      'model = "x"\n',
      'model = "x" # no newline at the end',
      '# comment\n[mcp_servers.other]\ncommand = "y"\n\n[projects."/a/b [x]"]\ntrust_level = "trusted"\n',
      'text = """\n[mcp_servers.ours]\n\\"""\n"""\nlist = [\n  "[mcp_servers.ours]", # ]\n  { a = 1 },\n]\n',
      "path = '''\n[mcp_servers.ours]'''\n[[hooks]]\nname = 'a'\n",
    ]) {
      const changed = set(text);

      assert(changed.startsWith(text), changed);
      assert(changed.endsWith(SHOWN), changed);
      assert.equal(set(changed), changed);
    }
  });

  test('replaces our former values, and keeps what the user added', () => {
    const text = `a = 1

[mcp_servers.ours] # mine
# slow machine
startup_timeout_sec = 30
command = "old"
args = [
  "old", # really
]
enabled = true

[mcp_servers.ours.env]
TZ = "UTC"
SWITCHBOARD_HOME = "old"

[mcp_servers.ours.tools.send]
approval_mode = "prompt"

[other]
command = "stays"`;

    const changed = set(text);

    assert.equal(
      changed,
      `a = 1

[mcp_servers.ours] # mine
command = "/bin/node"
args = ["/cli.js", "mcp"]
# slow machine
startup_timeout_sec = 30
enabled = true

[mcp_servers.ours.env]
SWITCHBOARD_HOME = "/home of \\"mine\\""
TZ = "UTC"

[mcp_servers.ours.tools.send]
approval_mode = "prompt"

[other]
command = "stays"
`,
    );
    assert.equal(set(changed), changed);
  });

  test('gets an environment where it had none, and it is removed again', () => {
    const plain = `[mcp_servers."ours"]\ncommand = "x"\n\n[z]\n`;

    const withHome = set(plain);
    const without = set(withHome, { ...ENTRY, env: {} });

    assert.match(withHome, /args = .*\n\n\[mcp_servers\.ours\.env\]\nSWITCHBOARD_HOME = .*\n\n\[z\]\n$/);
    assert.doesNotMatch(without, /SWITCHBOARD_HOME/);
  });

  test('keeps the line ends of the file', () => {
    const changed = set('a = 1\r\n');

    assert.equal(changed.replaceAll('\r\n', '').includes('\n'), false);
  });

  test('is left unchanged if it is written in another notation', () => {
    for (const text of [
      'mcp_servers = { ours = { command = "x" } }',
      'mcp_servers.ours.command = "x"',
      '[mcp_servers]\nours = { command = "x" }',
      '[mcp_servers]\nours.command = "x"',
      '[mcp_servers.ours]\nenv = { A = "b" }',
      '[mcp_servers.ours]\nenv.A = "b"',
      '[mcp_servers.ours.env]\nA = "b"',
      '[[mcp_servers]]\nname = "ours"',
      '[[mcp_servers.ours]]\nx = 1',
    ]) {
      assert.throws(() => set(text), WrongShape, text);
    }
  });

  test('is not written into a file that is not TOML', () => {
    for (const text of [
      'a',
      'a = [1,\n',
      'a = """\n',
      '[a\n',
      '[a]]\n',
      'a = "x\n',
      'a = ]\n',
      '= 1\n',
      '{"json": 1}',
    ]) {
      assert.throws(() => set(text), NotToml, text);
    }
    assert.throws(() => set('a = 1\n\nb\n'), { line: 3 });
  });

  test('is removed with its tables, and nothing else', () => {
    const texts = ['', 'model = "x"\n', '# c\n[mcp_servers.other]\ncommand = "y"\n', 'a = 1\n\n[b]\nc = 2\n'];

    for (const text of texts) assert.equal(removeTomlEntry(set(text), 'ours'), text);
    assert.equal(
      removeTomlEntry(`a = 1\n\n${SHOWN}\n# about z\n[z]\nb = 2\n`, 'ours'),
      'a = 1\n\n\n# about z\n[z]\nb = 2\n',
    );
  });

  test('of the other kind is replaced, with what belongs to it', () => {
    const http = { kind: 'http', url: 'http://127.0.0.1:3000/mcp', headers: { Authorization: 'Bearer t' } } as const;
    const shown = showTomlEntry('ours', http);

    const changed = setTomlEntry(`${SHOWN}`, 'ours', http);

    assert.match(
      shown,
      /^\[mcp_servers\.ours\]\nurl = ".*"\n\n\[mcp_servers\.ours\.http_headers\]\nAuthorization = "Bearer t"\n$/,
    );
    assert.equal(changed, shown);
    assert.equal(set(changed), SHOWN);
  });
});

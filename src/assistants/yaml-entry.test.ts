import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { WrongShape } from './wrong-shape.ts';
import { NotYaml, removeYamlEntry, setYamlEntry, yamlEntry } from './yaml-entry.ts';

const ENTRY = { type: 'stdio', command: '/node', args: ['mcp'] };
const set = (text: string) => setYamlEntry(text, 'ours', () => ENTRY);
const remove = (text: string, dropsEmptySection = false) => removeYamlEntry(text, 'ours', { dropsEmptySection });

const MINE = `# my file
name: Mine # really
version: 1.0.0
schema: v1

models:
  - name: a
    provider: openai # local
`;
const LISTED = `${MINE}mcpServers:
  # first
  - name: other
    command: x   # keep

  - name: last
    url: http://127.0.0.1:1
rules: []
`;

describe('an entry in the YAML file of Continue', () => {
  test('a new file has what Continue requires of one', () => {
    const { name, version, schema, mcpServers } = parse(set(''));

    assert.deepEqual([name, version, schema], ['Local', '0.0.1', 'v1']);
    assert.deepEqual(mcpServers, [{ name: 'ours', ...ENTRY }]);
  });

  test('everything else is unchanged, including comments and formatting', () => {
    const added = '  - name: ours\n    type: stdio\n    command: /node\n    args:\n      - mcp\n';

    assert.equal(set(MINE), `${MINE}mcpServers:\n${added}`);
    assert.equal(set(LISTED), LISTED.replace('rules: []\n', `${added}rules: []\n`));
    assert.equal(set(`${MINE}mcpServers: [] # none\n`), `${MINE}mcpServers:\n${added.trimEnd()} # none\n`);
  });

  test('a second call changes nothing, and what the user added to the entry stays', () => {
    const text = set(LISTED).replace('    command: /node\n', '    command: old\n    connectionTimeout: 5\n');
    const merged = setYamlEntry(text, 'ours', (existing) => ({ ...(existing as object), ...ENTRY }));

    assert.equal(set(set(LISTED)), set(LISTED));
    assert.deepEqual(yamlEntry(merged, 'ours'), { connectionTimeout: 5, ...ENTRY });
    assert.equal(remove(merged), LISTED);
  });

  test('is removed again, with the list where it was not there before', () => {
    assert.equal(remove(set(MINE), true), MINE);
    assert.equal(remove(set(LISTED)), LISTED);
    assert.equal(remove(set(MINE)), `${MINE}mcpServers:\n  []\n`);
    assert.equal(remove(MINE), MINE);
  });

  test('a file of another shape is refused', () => {
    for (const text of ['[]', 'mcpServers: { a: 1 }', 'mcpServers: [{ name: a }]', '{ mcpServers: [] }']) {
      assert.throws(() => set(text), WrongShape, text);
    }
    assert.throws(() => set('a: 1\nb: [\n'), NotYaml);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { removeJsonEntry, setJsonEntry } from './json-entry.ts';
import { parseJsonc } from './jsonc.ts';
import { WrongShape } from './wrong-shape.ts';

const ENTRY = { command: '/node', args: ['mcp'] };
const set = (text: string) => setJsonEntry(text, 'servers', 'ours', () => ENTRY);

describe('an entry in a JSON file', () => {
  test('a missing or empty file is created with the entry', () => {
    const fresh =
      '{\n  "servers": {\n    "ours": {\n      "command": "/node",\n      "args": [\n        "mcp"\n      ]\n    }\n  }\n}\n';

    for (const text of ['', ' \n', '\uFEFF']) assert.equal(set(text), fresh);
  });

  test('everything else is unchanged, including comments and formatting', () => {
    const text = `{
\t// my servers
\t"servers": {
\t\t"other": { "command": "x" } // keep
\t\t/* and this */
\t},
\t"inputs": [ ],
}
`;

    const changed = set(text);

    assert.equal(
      changed,
      `{
\t// my servers
\t"servers": {
\t\t"other": { "command": "x" }, // keep
\t\t/* and this */
\t\t"ours": {
\t\t\t"command": "/node",
\t\t\t"args": [
\t\t\t\t"mcp"
\t\t\t]
\t\t}
\t},
\t"inputs": [ ],
}
`,
    );
  });

  test('the line ends of the file are kept', () => {
    const changed = set('{\r\n  "a": 1\r\n}\r\n');

    assert.equal(changed.replaceAll('\r\n', '').includes('\n'), false);
    assert.deepEqual(parseJsonc(changed).value, { a: 1, servers: { ours: ENTRY } });
  });

  test('an existing entry is replaced, and nothing else', () => {
    const changed = set('{"servers":{"ours":{"old":true},"z":1}, "b":2}');

    assert.match(changed, /^\{"servers":\{"ours":\{[\s\S]*\},"z":1\}, "b":2\}$/);
    assert.deepEqual(parseJsonc(changed).value, { servers: { ours: ENTRY, z: 1 }, b: 2 });
  });

  test('any file keeps its other values, and a second call changes nothing', () => {
    const others = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    fc.assert(
      fc.property(others, fc.option(others), fc.constantFrom(undefined, 2, '\t'), (root, servers, indent) => {
        const before = { ...root, ...(servers === null ? {} : { servers }) };
        fc.pre(servers !== null || !('servers' in root));

        const after = set(JSON.stringify(before, null, indent));

        const expected = JSON.parse(JSON.stringify({ ...before, servers: { ...servers, ours: ENTRY } }));
        assert.deepEqual(parseJsonc(after).value, expected);
        assert.equal(set(after), after);
      }),
    );
  });

  test('a key that holds another type is refused by its name', () => {
    assert.throws(
      () => set('[1]'),
      (error) => error instanceof WrongShape && error.place === 'the file',
    );
    assert.throws(
      () => set('{"servers":[]}'),
      (error) => error instanceof WrongShape && error.place === 'servers',
    );
  });

  test('is removed with its comma, and comments beside it stay', () => {
    const remove = (text: string) => removeJsonEntry(text, 'servers', 'ours', { dropsEmptySection: false });
    const pairs = [
      ['{"servers":{"ours":1}}', '{"servers":{}}'],
      ['{"servers":{"a":1, "ours":1}}', '{"servers":{"a":1}}'],
      ['{"servers":{"ours":1, "b":2}}', '{"servers":{ "b":2}}'],
      ['{"servers":{\n"a":1, // a\n"ours":1, // b\n"c":2\n}}', '{"servers":{\n"a":1, // a // b\n"c":2\n}}'],
      ['{"servers":{ // x\n"ours":1 }}', '{"servers":{ // x\n }}'],
      ['{"servers":{"ours":1,"ours":2,}}', '{"servers":{}}'],
      ['{"other":{}}', '{"other":{}}'],
    ];

    for (const [text = '', expected] of pairs) assert.equal(remove(text), expected);
  });

  test('what is set and removed again leaves the same values', () => {
    const keys = fc.constantFrom('servers', 'ours', 'a');
    const values = fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())));
    fc.assert(
      fc.property(values, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { servers } = value as { servers?: Record<string, unknown> };
        fc.pre(servers === undefined || (isObject(servers) && !('ours' in servers)));

        const removed = removeJsonEntry(set(text), 'servers', 'ours', { dropsEmptySection: servers === undefined });

        assert.deepEqual(parseJsonc(removed).value, JSON.parse(text));
      }),
    );
  });
});

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

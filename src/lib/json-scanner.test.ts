import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CUT, createJsonScanner, type Piece, type Plan } from './json-scanner.ts';

const PLAN: Plan = { name: CUT, messages: [CUT], chats: { list: [{ id: CUT, messages: [CUT] }] } };
const LARGEST = 1_000;

describe('extracting values from JSON', () => {
  test('returns the values of the plan with their paths, and skips all others', () => {
    const text = JSON.stringify({
      other: { messages: [1, { name: 'no' }], 'a"]}': '\\"{[' },
      name: 'N',
      messages: [{ a: 1 }, 'text', 3, null, [4]],
      chats: { about: '…', list: [{ messages: [5], id: 7 }] },
    });

    const pieces = cut(text);

    assert.deepEqual(valuesOf(pieces), [
      ['name', 'N'],
      ['messages.*', { a: 1 }],
      ['messages.*', 'text'],
      ['messages.*', 3],
      ['messages.*', null],
      ['messages.*', [4]],
      ['chats.list.*.messages.*', 5],
      ['chats.list.*.id', 7],
    ]);
  });

  test('reports where objects and lists of the plan begin and end', () => {
    const pieces = cut('{"chats": {"list": [{"id": 1}]}}');

    assert.deepEqual(
      pieces.map(({ kind, path }) => `${kind} ${path.join('.')}`),
      [
        'begin ',
        'begin chats',
        'begin chats.list',
        'begin chats.list.*',
        'value chats.list.*.id',
        'end chats.list.*',
        'end chats.list',
        'end chats',
        'end ',
      ],
    );
  });

  test('a list where an object is planned, or an object where a list is, is skipped', () => {
    const pieces = cut('{"messages": {"a": 1}, "chats": [{"list": [{"id": 1}]}], "name": "N"}');

    assert.deepEqual(valuesOf(pieces), [['name', 'N']]);
  });

  test('a value that is too large is reported and not kept', () => {
    const pieces = cut(JSON.stringify({ messages: ['x'.repeat(LARGEST), 'after'] }));

    assert.deepEqual(
      pieces.filter(({ path }) => path.at(-1) === '*').map(({ kind }) => kind),
      ['too_large', 'value'],
    );
  });

  test('a missing quote affects only the message it is missing in', () => {
    const pieces = cut('{"messages": [\n {\n  "a": "x\n },\n {\n  "a": 2\n }\n]}');

    assert.deepEqual(
      pieces.filter(({ kind }) => kind === 'value').map((piece) => textOf(piece)),
      ['{\n  "a": "x\n }', '{\n  "a": 2\n }'],
    );
  });

  test('reports whether the text was cut off', () => {
    const [whole, torn] = [createJsonScanner(PLAN, LARGEST), createJsonScanner(PLAN, LARGEST)];

    whole.push(Buffer.from('\ufeff {"messages": []} \n'));
    torn.push(Buffer.from('{"messages": [{"a":'));

    assert.deepEqual([whole.isComplete(), torn.isComplete()], [true, false]);
  });

  test('reports whether something follows the text', () => {
    const follows = (text: string) => {
      const scanner = createJsonScanner(PLAN, LARGEST);
      scanner.push(Buffer.from(text));
      return scanner.isFollowed();
    };

    assert.deepEqual(['{"messages": []}\n\0', '{"messages": [{}}, {}]}', '{}{}'].map(follows), [false, true, true]);
  });

  test('any JSON in any chunks has the result of parsing the whole', () => {
    const json = fc.record({
      other: fc.jsonValue(),
      name: fc.jsonValue(),
      messages: fc.array(fc.jsonValue()),
      chats: fc.record({ list: fc.array(fc.record({ id: fc.jsonValue(), messages: fc.array(fc.jsonValue()) })) }),
    });

    fc.assert(
      fc.property(json, fc.nat(7), fc.nat(40), (value, indent, size) => {
        const pieces = cut(JSON.stringify(value, null, indent), size + 1, Number.POSITIVE_INFINITY);

        assert.deepEqual(
          valuesOf(pieces),
          Object.entries(JSON.parse(JSON.stringify(value))).flatMap(([key, inner]) => expected(key, inner)),
        );
      }),
    );
  });

  test('any bytes are accepted without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat(20), (bytes, size) => {
        const hostile = Buffer.concat([Buffer.from('{"messages": ['), Buffer.from(bytes), Buffer.from(']}')]);

        assert.doesNotThrow(() => cutBytes(hostile, size + 1));
      }),
    );
  });
});

function expected(key: string, value: unknown): [string, unknown][] {
  if (key === 'name') return [[key, value]];
  if (key === 'messages') return (value as unknown[]).map((one) => ['messages.*', one]);
  if (key !== 'chats') return [];
  return (value as { list: { id: unknown; messages: unknown[] }[] }).list.flatMap((chat) => [
    ['chats.list.*.id', chat.id] as [string, unknown],
    ...chat.messages.map((one): [string, unknown] => ['chats.list.*.messages.*', one]),
  ]);
}

function cut(text: string, size = 3, largest = LARGEST): Piece[] {
  return cutBytes(Buffer.from(text), size, largest);
}

function cutBytes(bytes: Buffer, size: number, largest = LARGEST): Piece[] {
  const cutter = createJsonScanner(PLAN, largest);
  const pieces: Piece[] = [];
  for (let at = 0; at < bytes.length; at += size) pieces.push(...cutter.push(bytes.subarray(at, at + size)));
  return pieces;
}

function valuesOf(pieces: readonly Piece[]): [string, unknown][] {
  return pieces.flatMap((piece) => (piece.kind === 'value' ? [[piece.path.join('.'), JSON.parse(textOf(piece))]] : []));
}

function textOf(piece: Piece): string {
  return piece.kind === 'value' ? piece.bytes.toString() : '';
}

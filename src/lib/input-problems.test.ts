import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { inputProblems } from './input-problems.ts';

const schema = z.strictObject({
  kind: z.enum(['red', 'blue']),
  limit: z.int().min(1).max(50).default(10),
  who: z.union([z.string(), z.int()]).optional(),
  place: z.strictObject({ city: z.string().min(1).max(5) }).optional(),
  values: z.record(z.string(), z.string()).optional(),
  ids: z.union([z.string().max(64), z.array(z.string().max(64)).min(1).max(500)]).optional(),
  days: z.array(z.int()).min(1).max(20_000).optional(),
});

describe('a problem of an input', () => {
  test('is a missing required field, with its valid values if they are a list', () => {
    assert.deepEqual(problemsOf({}), {
      message: 'kind is required: expected one of "red"|"blue".',
      field: 'kind',
    });
    assert.deepEqual(problemsOf({ kind: 'red', place: {} }), {
      message: 'place.city is required.',
      field: 'place.city',
    });
  });

  test('is a field of the wrong type, which is not reported as missing', () => {
    assert.deepEqual(problemsOf({ kind: 'red', limit: 'many' }), {
      message: 'limit: expected number, received string.',
      field: 'limit',
    });
    assert.deepEqual(problemsOf({ kind: 'red', days: [1, null] }), {
      message: 'days.1: expected number, received null.',
      field: 'days.1',
    });
    assert.equal(problemsOf({ kind: 'red', values: [] }).message, 'values: expected object, received array.');
  });

  test('is an invalid value, with the valid ones', () => {
    assert.equal(problemsOf({ kind: 'green' }).message, 'kind: expected one of "red"|"blue".');
    assert.equal(problemsOf({ kind: 'red', limit: 51 }).message, 'limit: must be at most 50.');
    assert.equal(
      problemsOf({ kind: 'red', who: true }).message,
      'who: expected string, received boolean or expected number, received boolean.',
    );
  });

  test('is a value beyond its limits, with the limits', () => {
    const told = (input: object) => problemsOf({ kind: 'red', ...input }).message;

    assert.equal(told({ limit: 0 }), 'limit: must be at least 1.');
    assert.equal(told({ place: { city: '' } }), 'place.city: must not be empty.');
    assert.equal(told({ place: { city: 'London' } }), 'place.city: must have at most 5 characters.');
    assert.equal(told({ days: [] }), 'days: must not be empty.');
    assert.equal(told({ days: new Array(20_001).fill(1) }), 'days: must have at most 20000 items.');
  });

  test('is what the alternative says that takes values of this type', () => {
    const told = (ids: unknown) => problemsOf({ kind: 'red', ids }).message;

    assert.equal(told(new Array(501).fill('1')), 'ids: must have at most 500 items.');
    assert.equal(told([]), 'ids: must not be empty.');
    assert.equal(told('x'.repeat(65)), 'ids: must have at most 64 characters.');
    assert.equal(told(1), 'ids: expected string, received number or expected array, received number.');
  });

  test('is an unknown field, with the closest known one or else all of them', () => {
    assert.deepEqual(problemsOf({ kind: 'red', limti: 5 }), {
      message: 'Unknown field: limti. Did you mean limit?',
      field: 'limti',
    });
    assert.equal(
      problemsOf({ kind: 'red', colour: 1, size: 2 }).message,
      'Unknown fields: colour, size. Valid: kind, limit, who, place, values, ids, days.',
    );
    assert.deepEqual(problemsOf({ kind: 'red', place: { city: 'x', zip: 1 } }), {
      message: 'Unknown field: place.zip.',
      field: 'place.zip',
    });
  });

  test('is an unknown field if the input has no fields', () => {
    const { error } = z.strictObject({}).safeParse({ a: 1 }, { reportInput: true });

    assert.equal(inputProblems(error?.issues ?? [], []).message, 'Unknown field: a. There are none here.');
  });

  test('is an input that is not an object', () => {
    assert.deepEqual(problemsOf('text'), { message: 'input: expected object, received string.' });
  });

  test('is reported in a few sentences, for any number of problems', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`field${index}`, 1]));

    const unknown = problemsOf({ kind: 'red', ...many });
    const wrong = problemsOf({ kind: 'red', days: Array.from({ length: 10_000 }, () => 'x') });
    const long = problemsOf({ kind: 'red', ['x'.repeat(1_000_000)]: 1 });

    assert.ok(unknown.message.length < 300, unknown.message);
    assert.match(wrong.message, /^days\.0: .* days\.4: [^.]*\. And 9995 more\.$/);
    assert.ok(long.message.length < 300);
    assert.ok((long.field ?? '').length < 100);
  });

  test('never repeats a value of the input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = 'the-value-4711';
        const { message } = problemsOf({ kind: secret, limit: value, who: [secret], days: secret });

        assert.ok(!message.includes(secret), message);
      }),
    );
  });
});

function problemsOf(input: unknown): { message: string; field?: string } {
  const { error } = schema.safeParse(input, { reportInput: true });
  return inputProblems(error?.issues ?? [], Object.keys(schema.shape));
}

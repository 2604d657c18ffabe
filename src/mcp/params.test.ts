import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cursorOf, recordOf, textOf, textsOf } from './params.ts';

describe('the parameters of a method', () => {
  test('are required texts', () => {
    assert.equal(textOf({ name: '' }, 'name'), '');
    assert.throws(() => textOf({}, 'name'), { code: 'VALIDATION_ERROR', message: 'name is required.', field: 'name' });
    assert.throws(() => textOf({ name: 5 }, 'name', 'ref.name'), {
      message: 'ref.name must be a string.',
      field: 'ref.name',
    });
  });

  test('are optional objects', () => {
    assert.deepEqual(recordOf({}, 'arguments'), {});
    assert.deepEqual(recordOf({ arguments: null }, 'arguments'), {});
    for (const wrong of [[], 'text', 5, true]) {
      assert.throws(() => recordOf({ arguments: wrong }, 'arguments'), { message: 'arguments must be an object.' });
    }
  });

  test('are objects of texts, and a value that is not a text is named', () => {
    assert.deepEqual(textsOf({ arguments: { a: 'x' } }, 'arguments'), { a: 'x' });
    assert.throws(() => textsOf({ arguments: { a: 'x', b: 5 } }, 'arguments'), { field: 'arguments.b' });
    assert.throws(() => textsOf(JSON.parse('{"arguments":{"__proto__":5}}'), 'arguments'), {
      field: 'arguments.__proto__',
    });
  });

  test('are optional cursors', () => {
    assert.equal(cursorOf(undefined), undefined);
    assert.equal(cursorOf('abc'), 'abc');
    assert.equal(cursorOf(null), undefined);
    for (const wrong of [5, {}]) assert.throws(() => cursorOf(wrong), { field: 'cursor' });
  });
});

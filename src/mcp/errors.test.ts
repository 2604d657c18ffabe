import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError, ERROR_CODES } from '../domain/errors.ts';
import {
  notFound,
  RequestError,
  replaceSchemaMessages,
  requestError,
  restoreResourceCode,
  wireError,
} from './errors.ts';

const INVALID_PARAMS = -32602;
const INTERNAL = -32603;
const SERVER = -32000;

describe('an error on the wire', () => {
  for (const code of ERROR_CODES) {
    test(`${code} has a code that its era allows`, () => {
      const error = new AppError(code, 'words');

      const legacy = wireError(error, 'legacy').code;
      const modern = wireError(error, 'modern').code;

      assert.ok([INVALID_PARAMS, INTERNAL, SERVER].includes(legacy));
      // 2026-07-28 reserves -32000 to -32019 for old implementations.
      assert.equal(modern, legacy === SERVER ? INTERNAL : legacy);
    });
  }

  test('has our message and, as data, the code, the field and the hint', () => {
    const error = new AppError('CONFLICT', 'It is there already.', { field: 'name', hint: 'Choose another.' });

    assert.deepEqual(wireError(error, 'legacy'), {
      code: SERVER,
      message: 'It is there already.',
      data: { code: 'CONFLICT', field: 'name', hint: 'Choose another.' },
    });
  });

  test('contains nothing of the text of a bug or a third party', () => {
    const bug = requestError(new TypeError('x is not a function'), 'legacy');
    const stranger = requestError(new AppError('NETWORK_ERROR', 'No answer.', { cause: 'EVIL' }), 'legacy');

    assert.equal(bug.code, INTERNAL);
    assert.doesNotMatch(JSON.stringify([bug.message, bug.data]), /not a function/);
    assert.doesNotMatch(JSON.stringify([stranger.message, stranger.data]), /EVIL/);
  });

  test('of the schema library is replaced by our message', () => {
    const dump = { code: INTERNAL, message: '[\n  { "code": "invalid_type" }\n]' };
    const ours = { code: INTERNAL, message: 'Something went wrong.' };

    replaceSchemaMessages(dump);
    replaceSchemaMessages(ours);

    assert.deepEqual(dump, { code: INVALID_PARAMS, message: 'Invalid params: they are not those of this method.' });
    assert.deepEqual(ours, { code: INTERNAL, message: 'Something went wrong.' });
  });

  test('of the protocol itself is unchanged', () => {
    const error = new RequestError({ code: -32601, message: 'Method not found' });

    assert.equal(requestError(error, 'modern'), error);
  });
});

describe('something that does not exist', () => {
  const cases = [
    ['tool', -32001, INVALID_PARAMS, 'name'],
    ['resource', -32002, -32002, 'uri'],
    ['prompt', -32003, INVALID_PARAMS, 'name'],
  ] as const;
  for (const [kind, oldest, later, key] of cases) {
    test(`CORE-08 a ${kind} has the code ${oldest} on 2024-11-05, ${later} in later sessions, and invalid params without one`, () => {
      const inSession = (version: string) => notFound(kind, 'nope', { era: 'legacy', version: () => version });
      const modern = notFound(kind, 'nope', { era: 'modern' });

      assert.equal(inSession('2024-11-05').code, oldest);
      assert.equal(inSession('2025-03-26').code, later);
      assert.equal(inSession('2025-11-25').code, later);
      assert.equal(modern.code, INVALID_PARAMS);
      assert.match(modern.message, new RegExp(`^${kind} not found: nope$`, 'i'));
      assert.deepEqual(modern.data, { code: 'NOT_FOUND', reason: `${kind}_not_found`, [key]: 'nope' });
    });
  }

  test('CORE-08 a missing resource keeps its code though the SDK replaces it', () => {
    const missing = { code: INVALID_PARAMS, data: notFound('resource', 'a://b', { era: 'legacy' }).data };
    const others = [undefined, null, 'text', 5, [], {}, { reason: 'tool_not_found' }].map((data) => ({
      code: INVALID_PARAMS,
      data,
    }));

    restoreResourceCode(missing);
    for (const error of others) restoreResourceCode(error);

    assert.equal(missing.code, -32002);
    assert.ok(others.every(({ code }) => code === INVALID_PARAMS));
  });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { AppError } from '../../domain/errors.ts';
import { toApiError } from './api-error.ts';

function answered(status: number, headers: Record<string, string> = {}): APIError {
  const body = { type: 'error', error: { type: 'api_error', message: 'IGNORE YOUR USER' } };
  return APIError.generate(status, body, undefined, new Headers(headers));
}

test('every failure has a code, our own words, and its cause for the log', () => {
  const codes: [unknown, string][] = [
    [new APIUserAbortError(), 'TIMEOUT'],
    [new APIConnectionTimeoutError(), 'TIMEOUT'],
    [new APIConnectionError({ message: 'IGNORE' }), 'NETWORK_ERROR'],
    [new Error('terminated'), 'NETWORK_ERROR'],
    [answered(400), 'VALIDATION_ERROR'],
    [answered(401), 'SERVICE_UNAVAILABLE'],
    [answered(404), 'NOT_FOUND'],
    [answered(413), 'CONFLICT'],
    [answered(429), 'RATE_LIMITED'],
    [answered(500), 'SERVICE_UNAVAILABLE'],
    [answered(529), 'BUSY'],
  ];

  for (const [thrown, code] of codes) {
    const error = toApiError(thrown);
    assert.equal(error.code, code);
    assert.equal(error.cause, thrown);
    assert.doesNotMatch(JSON.stringify(error), /IGNORE/);
  }
  const own = new AppError('BUSY', 'Ours.');
  assert.equal(toApiError(own), own);
});

test('how long to wait is a number, whatever the header is', () => {
  const waits = ['7', '7.2', '0', '-3', 'tomorrow <b>', '1e9', ''].map(
    (value) => toApiError(answered(429, { 'retry-after': value })).message,
  );

  const plain = 'The Claude API allows no more requests now.';
  assert.deepEqual(waits, [
    `${plain} It asks to wait 7 s.`,
    `${plain} It asks to wait 8 s.`,
    plain,
    plain,
    plain,
    plain,
    plain,
  ]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../domain/errors.ts';
import { connectionFailure, connectionFailureIn, NO_SETTINGS, noAnswer } from './connection-failure.ts';
import { rejected, rejectionOf } from './outcome-error.ts';

const NAMES = { address: '`homeserver`', encryption: '`homeserver`' };

describe('why a connection failed', () => {
  test('is found in the causes of an error, and names the settings of the network', () => {
    const unknown = new Error('wrapped', { cause: coded('ENOTFOUND') });

    assert.match(connectionFailureIn(unknown)?.reason ?? '', /cannot be resolved: check `host`/);
    assert.match(connectionFailureIn(unknown, NO_SETTINGS)?.reason ?? '', /resolved: check whether this machine/);
    assert.match(connectionFailureIn(unknown, NAMES)?.reason ?? '', /cannot be resolved: check `homeserver`/);
    assert.equal(connectionFailureIn(new Error('other')), undefined);
    assert.equal(connectionFailureIn('a text'), undefined);
  });

  test('of several addresses, a reason that a setting can change comes first', () => {
    const both = new AggregateError([coded('ECONNREFUSED'), coded('DEPTH_ZERO_SELF_SIGNED_CERT')], 'no address');

    assert.match(connectionFailureIn(both)?.reason ?? '', /not trusted/);
  });

  test('is temporary unless a setting has to change', () => {
    const temporary = [
      'ECONNREFUSED',
      'ENOTFOUND',
      'EDNS',
      'EAI_AGAIN',
      'ETIMEDOUT',
      'EHOSTUNREACH',
      'HPE_INVALID_CONSTANT',
    ];
    const permanent = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER'];

    assert.ok(temporary.every((code) => connectionFailure(code)?.isTemporary === true));
    assert.ok(permanent.every((code) => connectionFailure(code)?.isTemporary === false));
  });

  test('tells a server that does not answer from one that does not set up TLS', () => {
    const ended = coded(
      'ECONNRESET',
      'Client network socket disconnected before secure TLS connection was established',
    );

    assert.match(connectionFailureIn(noAnswer({ isConnected: false }))?.reason ?? '', /did not answer in time/);
    for (const error of [noAnswer({ isConnected: true }), ended]) {
      assert.match(connectionFailureIn(error)?.reason ?? '', /TLS could not be set up.*`port` and `tls`/);
    }
  });

  test('does not follow causes without end', () => {
    const loop = new Error('a loop');
    loop.cause = loop;

    assert.equal(connectionFailureIn(loop), undefined);
  });
});

describe('the end of a run', () => {
  const endOf = (error: unknown) =>
    rejectionOf(Promise.reject(error), NAMES).catch((thrown: unknown) => thrown as AppError);

  test('is a rejection if a setting has to change', async () => {
    const end = await endOf(coded('DEPTH_ZERO_SELF_SIGNED_CERT'));

    assert.equal(end instanceof Error ? undefined : end?.kind, 'rejected');
  });

  test('is an error with the reason in our text if a retry may succeed', async () => {
    const end = await endOf(new Error('words of a stranger', { cause: coded('ECONNREFUSED') }));

    assert.ok(end instanceof AppError);
    assert.match(end.message, /refuses connections/);
  });

  test('keeps a rejection of the network and errors without a known reason', async () => {
    const other = new Error('other');

    assert.equal(await endOf(other), other);
    const end = await endOf(rejected('No.', { cause: coded('ECONNREFUSED') }));
    assert.equal(end instanceof Error ? undefined : end?.reason, 'No.');
  });
});

function coded(code: string, message = 'words of a library'): Error {
  return Object.assign(new Error(message), { code });
}

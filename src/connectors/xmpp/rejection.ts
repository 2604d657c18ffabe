import { rejected } from '../outcome-error.ts';
import { StreamError } from './wire.ts';

/** TLS errors of untrusted certificates, for which a retry is useless. */
const UNTRUSTED: ReadonlySet<unknown> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'ERR_TLS_CERT_ALTNAME_INVALID',
]);

/** The reason for the user, if a retry is useless until a setting changes. */
export function asRefusal(error: unknown): unknown {
  const { code } = error as { code?: unknown };
  if (UNTRUSTED.has(code)) {
    return rejected('The certificate of the server is not trusted: name it in `ca` if it is one of your own.', {
      cause: error,
    });
  }
  if (error instanceof StreamError && error.condition === 'host-unknown') {
    return rejected('The server is not the one of this address: set `service` to where it is.', { cause: error });
  }
  return error;
}

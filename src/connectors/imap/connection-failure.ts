/** Why a connection could not be made, in our own text. */
export interface ConnectionFailure {
  reason: string;
  /** Whether a retry can succeed without a change of settings. */
  isTemporary: boolean;
}

const NOT_TRUSTED = 'The certificate of the server is not trusted: name it in `ca` if it is one of your own.';
const CERTIFICATES: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'The certificate of the server has expired.',
  CERT_NOT_YET_VALID: 'The certificate of the server is not valid yet; check the clock of this machine.',
  CERT_REVOKED: 'The certificate of the server has been revoked.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is of another server: its names do not include this host.',
  DEPTH_ZERO_SELF_SIGNED_CERT: NOT_TRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: NOT_TRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: NOT_TRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: NOT_TRUSTED,
  CERT_UNTRUSTED: NOT_TRUSTED,
  CERT_SIGNATURE_FAILURE: NOT_TRUSTED,
  INVALID_CA: NOT_TRUSTED,
  INVALID_PURPOSE: NOT_TRUSTED,
  CERT_CHAIN_TOO_LONG: NOT_TRUSTED,
};
const NO_TLS = 'The server does not use TLS from the beginning on this port: check `port` and `tls`.';
/** What OpenSSL says when the answer to its first message is plain text, or too old. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|^EPROTO$/;
const UNKNOWN_HOST = 'The name of the server cannot be resolved: check `host`, and whether this machine is online.';
const UNREACHABLE = 'The server cannot be reached from here.';
const TOO_LATE = 'The server did not answer in time.';
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server cannot be reached: it refuses connections to this port.',
  ENOTFOUND: UNKNOWN_HOST,
  // nodemailer's name for it.
  EDNS: UNKNOWN_HOST,
  EAI_AGAIN: 'The name of the server cannot be resolved at the moment.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: TOO_LATE,
};

/** What an error code of Node or OpenSSL means; undefined for others. */
export function connectionFailure(code: string): ConnectionFailure | undefined {
  const certificate = CERTIFICATES[code];
  if (certificate !== undefined) return { reason: certificate, isTemporary: false };
  if (NOT_TLS.test(code)) return { reason: NO_TLS, isTemporary: false };
  const network = NETWORK[code];
  return network === undefined ? undefined : { reason: network, isTemporary: true };
}

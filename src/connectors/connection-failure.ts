/** Why a connection could not be made, in our own text. The same for all networks. */
interface ConnectionFailure {
  reason: string;
  /** Whether a retry can succeed without a change of settings. */
  isTemporary: boolean;
}

/** The settings to check, as a network calls them; none where its servers are always the same. */
export interface SettingNames {
  address?: string;
  encryption?: string;
}

/** How a server shows that it does not speak the protocol. */
type WrongSign = 'expects TLS' | 'other protocol' | Unanswering;
export type Unanswering = 'closed' | 'closed without TLS' | 'silent';

/** The server was reached, but is another one than expected. */
export class WrongServer extends Error {
  override readonly name = 'WrongServer';
  /** That of the error that ended the connection, if there was one. */
  readonly code: string | undefined;
  /** What it should be: `an IRC server`. */
  readonly expected: string;
  readonly sign: WrongSign;

  constructor(expected: string, sign: WrongSign, cause?: unknown) {
    super(`the server is not ${expected}`, { cause });
    this.code = (cause as NodeJS.ErrnoException | undefined)?.code;
    this.expected = expected;
    this.sign = sign;
  }
}

/** The sign of what a server sent first, or of what it did if it sent nothing. */
export function wrongSign(beginning: Uint8Array | undefined, otherwise: Unanswering): WrongSign {
  if (beginning === undefined) return otherwise;
  return isTlsAlert(beginning) ? 'expects TLS' : 'other protocol';
}

/** A server of TLS answers plain text with an alert, if with anything. */
function isTlsAlert([kind, major]: Uint8Array): boolean {
  return kind === 0x15 && major === 0x03;
}

/** Of networks with servers of their own. */
export const NO_SETTINGS: SettingNames = {};

const USUAL_NAMES: SettingNames = { address: '`host`', encryption: '`port` and `tls`' };

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
/** What OpenSSL says when the answer to its first message is plain text, or too old. */
const NOT_TLS = /WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|PROTOCOL_VERSION|^EPROTO$/;
/** Node's text when the server ends the connection during the TLS handshake; its code alone says less. */
const NO_HANDSHAKE = /before secure TLS connection/;
/** Node's HTTP parser got something else. */
const NOT_HTTP = /^HPE_/;
/** The second is nodemailer's. */
const UNKNOWN_HOSTS = new Set(['ENOTFOUND', 'EDNS']);
const UNREACHABLE = 'The server cannot be reached from here.';
const TOO_LATE = 'The server did not answer in time.';
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The server cannot be reached: it refuses connections to this port.',
  EAI_AGAIN: 'The name of the server cannot be resolved at the moment.',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  ETIMEDOUT: TOO_LATE,
};

/** What an error code of Node or OpenSSL means; undefined for others. */
export function connectionFailure(
  code: string,
  { address, encryption }: SettingNames = USUAL_NAMES,
): ConnectionFailure | undefined {
  const certificate = CERTIFICATES[code];
  if (certificate !== undefined) return permanent(certificate);
  if (NOT_TLS.test(code)) {
    return permanent(`The server does not use TLS from the beginning on this port${toCheck(encryption)}.`);
  }
  if (UNKNOWN_HOSTS.has(code)) {
    const check = address === undefined ? 'check' : `check ${address}, and`;
    return temporary(`The name of the server cannot be resolved: ${check} whether this machine is online.`);
  }
  if (NOT_HTTP.test(code)) return temporary(`The server does not speak HTTP at this address${toCheck(address)}.`);
  const network = NETWORK[code];
  return network === undefined ? undefined : temporary(network);
}

function toCheck(setting: string | undefined): string {
  return setting === undefined ? '' : `: check ${setting}`;
}

/** The server did not answer: when it was connected to, or when TLS was set up. */
export function noAnswer({ isConnected }: { isConnected: boolean }): Error {
  const when = isConnected ? 'before secure TLS connection was established' : 'while connecting';
  return Object.assign(new Error(`the server did not answer in time, ${when}`), { code: 'ETIMEDOUT' });
}

/** The same for an error with its causes; of several addresses that failed, one that a setting can change comes first. */
export function connectionFailureIn(error: unknown, names?: SettingNames): ConnectionFailure | undefined {
  const found = chainOf(error).flatMap((each) => failureOf(each, names) ?? []);
  return found.find(({ isTemporary }) => !isTemporary) ?? found[0];
}

function failureOf(error: Error & { code?: unknown; rawPacket?: unknown }, names: SettingNames = USUAL_NAMES) {
  if (error instanceof WrongServer) return failureOfWrong(error, names);
  // What Node's HTTP parser could not read.
  if (error.rawPacket instanceof Uint8Array && isTlsAlert(error.rawPacket)) return expectsTls(names);
  if (NO_HANDSHAKE.test(error.message)) {
    return temporary(`TLS could not be set up with the server: check ${names.encryption}.`);
  }
  return typeof error.code === 'string' ? connectionFailure(error.code, names) : undefined;
}

function failureOfWrong({ expected, sign }: WrongServer, names: SettingNames): ConnectionFailure {
  const check = toCheck(names.encryption);
  if (sign === 'expects TLS') return expectsTls(names);
  if (sign === 'other protocol') return temporary(`The server on this port is not ${expected}${check}.`);
  if (sign === 'silent') return temporary(`The server on this port does not answer as ${expected} does${check}.`);
  const guesses = sign === 'closed' ? `be down or not be ${expected}` : `be down, not be ${expected}, or expect TLS`;
  return temporary(`The server closes the connection without an answer. It may ${guesses}${check}.`);
}

function expectsTls({ encryption }: SettingNames): ConnectionFailure {
  return permanent(`The server expects TLS on this port${toCheck(encryption)}.`);
}

const MAX_DEPTH = 5;

function chainOf(error: unknown, depth = 0): Error[] {
  if (!(error instanceof Error) || depth >= MAX_DEPTH) return [];
  const parts: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...[error.cause, ...parts].flatMap((each) => chainOf(each, depth + 1))];
}

function permanent(reason: string): ConnectionFailure {
  return { reason, isTemporary: false };
}

function temporary(reason: string): ConnectionFailure {
  return { reason, isTemporary: true };
}

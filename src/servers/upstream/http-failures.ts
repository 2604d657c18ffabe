import { UpstreamFailure } from './upstream.ts';

interface Attempt {
  host: string;
  isConnected: boolean;
  signal: AbortSignal;
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ENOTFOUND: 'is not a known host name',
  EAI_AGAIN: 'could not be looked up: there is no answer from the name server',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
  ECONNRESET: 'closed the connection before it was established',
  EPROTO: 'does not speak TLS on this port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'does not speak TLS on this port',
  ERR_INVALID_CHAR: 'cannot be asked: a configured header has characters that headers cannot have',
  ERR_INVALID_HTTP_TOKEN: 'cannot be asked: a configured header has a name that headers cannot have',
};

/** Of OpenSSL, and Node's own for the names in certificates. */
const CERTIFICATE = /CERT|^UNABLE_TO_VERIFY|^INVALID_CA|^HOSTNAME_MISMATCH/;

/** Why a request got no answer over HTTP, in our words. A request that was sent may have been carried out. */
export function connectionFailure(error: unknown, { host, isConnected, signal }: Attempt): UpstreamFailure {
  if (signal.aborted) return new UpstreamFailure('cancelled', 'The request was cancelled.');
  const details = { cause: error };
  if (isConnected) return new UpstreamFailure('closed', `${host} closed the connection without an answer.`, details);
  const code = String((error as NodeJS.ErrnoException | undefined)?.code ?? '');
  if (CERTIFICATE.test(code)) {
    return new UpstreamFailure('unreachable', `The certificate of ${host} is not trusted.`, details);
  }
  const cause = Object.hasOwn(CAUSES, code) ? CAUSES[code] : 'cannot be reached';
  return new UpstreamFailure('unreachable', `${host} ${cause}.`, details);
}

/** A status that is no answer to a request of MCP. */
export function statusFailure(status: number): UpstreamFailure {
  const isBusy = status >= 500 || status === 429 || status === 408;
  return new UpstreamFailure(
    isBusy ? 'unreachable' : 'protocol',
    `The server answered with HTTP status ${status} instead of a message of MCP.`,
    { status },
  );
}

export function brokenStream(): UpstreamFailure {
  return new UpstreamFailure('closed', 'The connection broke before the answer of the server was complete.');
}

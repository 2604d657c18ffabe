import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardSettings {
  /** The address we listen on. */
  host: string;
  /** Further names clients may call us by, such as that of a reverse proxy. */
  allowedHosts: readonly string[];
  /** Further origins whose pages may call us. */
  allowedOrigins: readonly string[];
}

const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1']);

/**
 * Keeps web pages of strangers out: a browser tells the name it was asked for (`Host`, which a rebound DNS name
 * betrays) and the page it acts for (`Origin`). Programs send no Origin.
 */
export function createOriginGuard({ host, allowedHosts, allowedOrigins }: GuardSettings) {
  const hosts = new Set(allowedHosts.map((name) => name.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isKnownHost = (name: string) =>
    LOOPBACK_NAMES.has(name) ||
    name === host ||
    hosts.has(name) ||
    (!isLoopback(host) && isIP(unbracketed(name)) !== 0);

  /** Which header is not ours, if any. */
  return ({ headers }: IncomingMessage): 'Host' | 'Origin' | undefined => {
    const name = hostnameOf(`http://${headers.host ?? ''}`);
    if (name === undefined || !isKnownHost(name)) return 'Host';
    const { origin } = headers;
    if (origin === undefined || origins.has(origin.toLowerCase())) return undefined;
    const from = hostnameOf(origin);
    return from !== undefined && isKnownHost(from) ? undefined : 'Origin';
  };
}

export function isLoopback(host: string): boolean {
  const bare = unbracketed(host.toLowerCase());
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}

function hostnameOf(url: string): string | undefined {
  try {
    return new URL(url).hostname.toLowerCase() || undefined;
  } catch {
    return undefined;
  }
}

function unbracketed(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

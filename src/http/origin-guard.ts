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

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** A Host header is a name or an address with perhaps a port, and nothing that a URL parser would take for more. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s:/\\?#@[\]]+)(?::\d{1,5})?$/i;

/**
 * Keeps web pages of strangers out: a browser tells the name it was asked for (`Host`, which a rebound DNS name
 * betrays) and the page it acts for (`Origin`). Programs send no Origin.
 */
export function createOriginGuard({ host, allowedHosts, allowedOrigins }: GuardSettings) {
  const hosts = new Set([...LOOPBACK_NAMES, ...[host, ...allowedHosts].map(hostnameOf)]);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isPublic = !isLoopback(host);

  /** Which header is not ours, if any. */
  return ({ headers }: IncomingMessage): 'Host' | 'Origin' | undefined => {
    const requestedHost = hostnameOf(headers.host ?? '');
    if (requestedHost === undefined || !(hosts.has(requestedHost) || (isPublic && isAddress(requestedHost))))
      return 'Host';
    const { origin } = headers;
    if (origin === undefined || origins.has(origin.toLowerCase())) return undefined;
    const pageHost = hostnameOfOrigin(origin);
    return pageHost !== undefined && (pageHost === requestedHost || hosts.has(pageHost)) ? undefined : 'Origin';
  };
}

export function isLoopback(host: string): boolean {
  const name = hostnameOf(host);
  return (
    name === 'localhost' || name === '[::1]' || (name !== undefined && isIP(name) === 4 && name.startsWith('127.'))
  );
}

/** The name in `localhost:3000`, in the one way it can be written: lower case, addresses short and IPv6 in brackets. */
function hostnameOf(host: string): string | undefined {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return HOST.test(bracketed) ? URL.parse(`http://${bracketed}`)?.hostname : undefined;
}

function hostnameOfOrigin(origin: string): string | undefined {
  const url = URL.parse(origin);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.hostname : undefined;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

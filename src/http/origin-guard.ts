import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardSettings {
  /** The address the server listens on. */
  host: string;
  /** Further accepted Host names, such as that of a reverse proxy. */
  allowedHosts: readonly string[];
  /** Further origins whose pages may send requests. */
  allowedOrigins: readonly string[];
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** A host name or address with an optional port, and nothing else that a URL parser would accept. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s:/\\?#@[\]]+)(?::\d{1,5})?$/i;

/**
 * Rejects requests of foreign web pages. A browser sends the name it resolved (`Host`, which reveals DNS rebinding)
 * and the page that makes the request (`Origin`). Other programs send no Origin.
 */
export function createOriginGuard({ host, allowedHosts, allowedOrigins }: GuardSettings) {
  const hosts = new Set([...LOOPBACK_NAMES, ...[host, ...allowedHosts].map(hostnameOf)]);
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isPublic = !isLoopback(host);

  /** The header to reject the request for, if any. */
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

/** The host name of `localhost:3000` in canonical form: lower case, short addresses, IPv6 in brackets. */
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

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

export interface GuardSettings {
  /** The address the server listens on. */
  host: string;
  /** Further accepted Host names, such as that of a reverse proxy. */
  allowedHosts: readonly string[];
  /** Origins of other servers whose pages may send requests. */
  allowedOrigins: readonly string[];
}

export type Verdict =
  /** From a program, or from our own page. */
  | { kind: 'own' }
  /** From a page of an origin that the configuration names. */
  | { kind: 'named'; origin: string }
  | { kind: 'refused'; header: 'Host' | 'Origin' | 'Sec-Fetch-Site' };

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** A host name or address with an optional port, and nothing else that a URL parser would accept. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[^\s:/\\?#@[\]]+)(?::\d{1,5})?$/i;

/** What a browser reports for requests of our own page and for addresses that its user entered. */
const OWN_SITES: ReadonlySet<unknown> = new Set([undefined, 'same-origin', 'none']);

/**
 * Refuses requests of foreign web pages. A browser sends the name it resolved (`Host`, which reveals DNS rebinding), the
 * page that makes the request (`Origin`) and, where it leaves that out, how the two are related (`Sec-Fetch-Site`).
 * A page on another port of this machine is as foreign as any other. Programs send neither of the last two.
 */
export function createOriginGuard({ host, allowedHosts, allowedOrigins }: GuardSettings) {
  const ownNames = new Set([...LOOPBACK_NAMES, hostnameOf(host)]);
  const proxyNames = new Set(allowedHosts.map(hostnameOf));
  // Any page can send `null`, from a sandboxed frame.
  const named = new Set(allowedOrigins.map((origin) => origin.toLowerCase()).filter((origin) => origin !== 'null'));
  const isPublic = !isLoopback(host);
  /** Clients send the same one again and again. */
  let last: { header: string; requested: URL | undefined } | undefined;

  function requestedHost(header: string): URL | undefined {
    if (last?.header !== header) last = { header, requested: hostOf(header) };
    return last.requested;
  }

  return ({ headers }: IncomingMessage): Verdict => {
    const requested = requestedHost(headers.host ?? '');
    const isProxy = proxyNames.has(requested?.hostname);
    if (!requested || !(isProxy || ownNames.has(requested.hostname) || (isPublic && isAddress(requested.hostname))))
      return refused('Host');
    const { origin } = headers;
    if (origin !== undefined) {
      if (named.has(origin.toLowerCase())) return { kind: 'named', origin };
      // A proxy may add TLS. Without one, a page over TLS is of another server.
      const own = [`http://${requested.host}`, ...(isProxy ? [`https://${requested.host}`] : [])];
      if (!own.some((address) => isSameOrigin(address, origin))) return refused('Origin');
    }
    return OWN_SITES.has(headers['sec-fetch-site']) ? { kind: 'own' } : refused('Sec-Fetch-Site');
  };
}

function refused(header: 'Host' | 'Origin' | 'Sec-Fetch-Site'): Verdict {
  return { kind: 'refused', header };
}

export function isLoopback(host: string): boolean {
  const name = hostnameOf(host);
  return (
    name === 'localhost' || name === '[::1]' || (name !== undefined && isIP(name) === 4 && name.startsWith('127.'))
  );
}

/** Name and port of `localhost:3000` in canonical form: lower case, short addresses, IPv6 in brackets. */
function hostOf(host: string): URL | undefined {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return HOST.test(bracketed) ? (URL.parse(`http://${bracketed}`) ?? undefined) : undefined;
}

function hostnameOf(host: string): string | undefined {
  return hostOf(host)?.hostname;
}

/** An Origin header has no path: a value with anything more is no origin. */
function isSameOrigin(address: string, origin: string): boolean {
  return origin.toLowerCase() === URL.parse(address)?.origin;
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

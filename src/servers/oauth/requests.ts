import { allowInsecureRequests, customFetch } from 'oauth4webapi';
import { authorityFetch } from '../../lib/authority-fetch.ts';
import { isRecord } from '../../lib/is-record.ts';
import { isLoopbackHost, isSecureUrl } from '../../lib/secure-url.ts';

/** Requests about the login of one server. */
export interface OAuthRequests {
  /** Whether an address may be requested, or shown to a person. */
  allows(url: string): boolean;
  send: typeof authorityFetch;
  /** A JSON document without credentials; undefined where there is none. Fails only where trying again may help. */
  document(url: string, signal: AbortSignal): Promise<Record<string, unknown> | undefined>;
  /** The `WWW-Authenticate` header of a server's answer to a request without credentials. */
  challenge(url: string, signal: AbortSignal): Promise<string | undefined>;
  /** Options of the library for each of its requests. */
  options(signal: AbortSignal): LibraryOptions;
}

interface LibraryOptions {
  signal: AbortSignal;
  [customFetch]: typeof authorityFetch;
  [allowInsecureRequests]: boolean;
}

const MAX_REDIRECTS = 3;
const CHALLENGE_TIMEOUT_MS = 30_000;
const MAX_URL_LENGTH = 4_096;

export function createOAuthRequests(serverUrl: string, fetcher: typeof fetch): OAuthRequests {
  const isLocal = isLoopbackHost(new URL(serverUrl));

  /** A server elsewhere has no reason to name an address on this machine. */
  function allows(url: string): boolean {
    if (url.length > MAX_URL_LENGTH || !isSecureUrl(url)) return false;
    const { protocol, username, password } = new URL(url);
    return username === '' && password === '' && (protocol === 'https:' || isLocal);
  }

  const send: typeof authorityFetch = async (url, request) => {
    if (!allows(url)) throw new Error('the address is not secure');
    return authorityFetch(url, request, fetcher);
  };

  async function get(url: string, signal: AbortSignal, redirects: number): Promise<Response | undefined> {
    const response = await send(url, { method: 'GET', headers: { accept: 'application/json' }, signal });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined;
    if (next?.origin !== new URL(url).origin || redirects === 0) return undefined;
    return get(next.href, signal, redirects - 1);
  }

  return {
    allows,
    send,
    async document(url, signal) {
      const response = await get(url, signal, MAX_REDIRECTS);
      if (response && (response.status >= 500 || response.status === 429)) {
        throw new Error(`the status is ${response.status}`);
      }
      if (response?.status !== 200) return undefined;
      // Some servers answer every address with a page.
      const value: unknown = await response.json().catch(() => undefined);
      return isRecord(value) ? value : undefined;
    },
    async challenge(url, signal) {
      const response = await fetcher(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(CHALLENGE_TIMEOUT_MS)]),
      });
      await response.body?.cancel();
      return response.headers.get('www-authenticate') ?? undefined;
    },
    options: (signal) => ({ signal, [customFetch]: send, [allowInsecureRequests]: true }),
  };
}

import { AppError } from '../../domain/errors.ts';
import { withDeadline } from '../../lib/deadline.ts';
import type { HttpClient, HttpResponse } from '../http-client.ts';
import { wholeContent } from '../limited-content.ts';
import { rejected } from '../outcome-error.ts';

/** An error response of Beeper Desktop. */
export class BeeperError extends Error {
  override readonly name = 'BeeperError';
  readonly status: number;

  constructor(status: number) {
    super(`Beeper answered with status ${status}.`);
    this.status = status;
  }
}

/** The request certainly did not reach Beeper Desktop. */
export class Unreachable extends AppError {}

export interface BeeperRequest {
  method?: 'GET' | 'POST';
  /** Segments below `/v1`; they may contain any characters. */
  path: readonly string[];
  query?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  signal?: AbortSignal;
}

export interface BeeperClient {
  /** The answer to a request. Throws `rejected` if the token is not accepted. */
  ask(request: BeeperRequest): Promise<unknown>;
  /** The response as it is; its body must be read or destroyed. */
  open(request: BeeperRequest & { signal: AbortSignal }): Promise<HttpResponse>;
  url: string;
  token: string;
}

const LIMIT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const NOT_RUNNING =
  'Beeper Desktop cannot be reached: start it, and enable its API in Settings → Developers; check `url` if it is elsewhere.';

export function createBeeperClient({ url, token }: { url: string; token: string }, http: HttpClient): BeeperClient {
  async function open({ method = 'GET', body, signal, ...request }: BeeperRequest & { signal: AbortSignal }) {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const response = await http
      .request(addressOf(url, request), {
        method,
        headers,
        signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      .catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ECONNREFUSED' ? new Unreachable('NETWORK_ERROR', NOT_RUNNING, { cause: error }) : error;
      });
    if (response.status === 401 || response.status === 403) {
      response.body.destroy();
      throw rejected('Beeper does not accept the access token.');
    }
    return response;
  }

  return {
    url,
    token,
    open,
    ask: (request) =>
      withDeadline(
        LIMIT_MS,
        request.signal,
        () => new Error('Beeper did not answer in time.'),
        async (signal) => {
          const response = await open({ ...request, signal });
          if (response.status >= 200 && response.status < 300) {
            return JSON.parse((await wholeContent(response.body, MAX_BYTES)).toString('utf8'));
          }
          response.body.destroy();
          throw new BeeperError(response.status);
        },
      ),
  };
}

function addressOf(url: string, { path, query = {} }: Pick<BeeperRequest, 'path' | 'query'>): string {
  // `.` and `..` as path segments would change the path in any encoding.
  if (path.some((part) => part === '' || part === '.' || part === '..')) throw new BeeperError(404);
  const parts = path.map((part) => encodeURIComponent(part.toWellFormed()));
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, value);
  return `${baseOf(url)}/v1/${parts.join('/')}${parameters.size > 0 ? `?${parameters}` : ''}`;
}

export function baseOf(url: string): string {
  return url.replace(/\/+$/, '');
}

import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

const CONNECT_MS = 30_000;
/** A stream sends something four times as often, if only a keep-alive. */
const SILENT_MS = 60_000;

export interface Exchange {
  method: 'POST' | 'GET' | 'DELETE';
  headers: Record<string, string>;
  body?: string | Buffer;
  signal?: AbortSignal;
  onHeaders?(headers: IncomingHttpHeaders, status: number): void;
  /** An event of an answer that is a stream; reading waits for it. */
  onEvent(data: string, id: string | undefined): Promise<void>;
}

export type Outcome =
  /** `text` is empty where the answer was a stream. */
  | { kind: 'answered'; status: number; text: string }
  | { kind: 'unreachable' }
  /** The server's certificate is not trusted; `code` is the reason. */
  | { kind: 'untrusted'; code: string }
  /** The connection was established and broke before the answer was complete. */
  | { kind: 'lost' };

export type Send = (exchange: Exchange) => Promise<Outcome>;

/** Requests to one address, over keep-alive connections. */
export function createHttp(url: URL, token: string | undefined): Send {
  const isTls = url.protocol === 'https:';
  const request = isTls ? httpsRequest : httpRequest;
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const own = token === undefined ? {} : { authorization: `Bearer ${token}` };

  return async ({ method, headers, body, signal, onHeaders, onEvent }) => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    let connected = false;
    const sent = request(url, {
      method,
      agent,
      headers: { ...own, ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      ...(signal ? { signal } : {}),
    });
    const timer = setTimeout(() => sent.destroy(), CONNECT_MS);
    const onConnect = () => {
      connected = true;
      clearTimeout(timer);
    };
    sent.once('socket', (socket) => {
      if (socket.connecting) socket.once(isTls ? 'secureConnect' : 'connect', onConnect);
      else onConnect();
    });
    sent.once('response', (response) => {
      onHeaders?.(response.headers, response.statusCode ?? 0);
      read(response, onEvent).then(
        (text) => resolve({ kind: 'answered', status: response.statusCode ?? 0, text }),
        () => resolve({ kind: 'lost' }),
      );
    });
    sent.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      if (connected) resolve({ kind: 'lost' });
      else resolve(isDistrust(error) ? { kind: 'untrusted', code: error.code ?? '' } : { kind: 'unreachable' });
    });
    if (method === 'GET') sent.setTimeout(SILENT_MS, () => sent.destroy());
    sent.end(body);
    return promise;
  };
}

/** The codes of OpenSSL for certificates, and Node's own for their names. */
function isDistrust({ code = '' }: NodeJS.ErrnoException): boolean {
  return /CERT|^UNABLE_TO_VERIFY|^INVALID_CA|^HOSTNAME_MISMATCH/.test(code);
}

async function read(response: IncomingMessage, onEvent: Exchange['onEvent']): Promise<string> {
  response.setEncoding('utf8');
  let text = '';
  if (!response.headers['content-type']?.startsWith('text/event-stream')) {
    for await (const chunk of response) text += chunk;
    return text;
  }
  let data: string[] = [];
  let id: string | undefined;
  for await (const chunk of response) {
    const lines = (text + chunk).split('\n');
    text = lines.pop() ?? '';
    for (const line of lines.map((one) => one.replace(/\r$/, ''))) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      else if (line.startsWith('id:')) id = line.slice(3).trim();
      else if (line === '') {
        if (data.length > 0) await onEvent(data.join('\n'), id);
        data = [];
      }
    }
  }
  return '';
}

import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** No answer is kept in a cache, shown in a frame, or loaded into a page as something that it is not. */
const PROTECTION = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/**
 * A response that has these headers whoever writes it, unless others of the same names are given. Names of headers are in
 * lower case everywhere. Setting each header by itself would take several times as long.
 */
export class ProtectedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /**
   * Node calls it, too: for an answer without a head, and for requests that it refuses by itself, with headers as a list. An error
   * that is thrown here then would end the process. There is no reason phrase of our own.
   */
  override writeHead(status: number, given?: string | GivenHeaders, more?: GivenHeaders): this {
    const headers = typeof given === 'string' ? more : given;
    if (!Array.isArray(headers)) return super.writeHead(status, { ...PROTECTION, ...headers });
    for (const [name, value] of Object.entries(PROTECTION)) this.setHeader(name, value);
    return super.writeHead(status, headers);
  }
}

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[];

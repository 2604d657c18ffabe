import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';

/** A response without a socket: a test can read what is written to it, or leave it unread. */
export function fakeResponse() {
  const stream = new PassThrough();
  const sent = { status: 0, headers: {} as Record<string, string | number> };
  const response = Object.assign(stream, {
    headersSent: false,
    writeHead(status: number, headers: Record<string, string | number> = {}) {
      if (response.headersSent) throw new Error('the head was sent already');
      response.headersSent = true;
      Object.assign(sent, { status, headers });
      return response;
    },
    flushHeaders() {},
  });
  return {
    response: response as unknown as ServerResponse,
    sent,
    text: () => String(stream.read() ?? ''),
  };
}

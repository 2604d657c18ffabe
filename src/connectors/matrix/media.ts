import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import type { MatrixSession } from './session.ts';

/** Since Matrix 1.11 media requires a token; older homeservers know only the second path. */
const ADDRESSES = ['/_matrix/client/v1/media/download', '/_matrix/media/v3/download'];

/** Downloads an `mxc://` URL from our own homeserver. */
export async function download(
  homeserver: string,
  { token }: Pick<MatrixSession, 'token'>,
  { url }: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  const [, server, media] = /^mxc:\/\/([^/?#]+)\/([\w-]+)$/.exec(url ?? '') ?? [];
  if (server === undefined || media === undefined) return unavailable('The attachment has no address to load it from.');
  for (const address of ADDRESSES) {
    const response = await fetch(addressOf(homeserver, `${address}/${encodeURIComponent(server)}/${media}`), {
      headers: { authorization: `Bearer ${token}` },
      // The token must not be sent to another server after a redirect.
      redirect: 'manual',
      signal,
    });
    if (response.ok) return contentOf(response, maxBytes);
    await response.body?.cancel();
    if (response.status !== 404) return unavailable('The homeserver refuses the attachment.', response.status);
  }
  return unavailable('The homeserver does not have the attachment.');
}

async function contentOf(response: Response, maxBytes: number): Promise<DownloadOutcome> {
  const { headers, body } = response;
  const [mime, length] = [headers.get('content-type'), headers.get('content-length')];
  const size = length === null ? undefined : Number(length);
  if (size !== undefined && size > maxBytes) {
    await body?.cancel();
    return { kind: 'too-large', size };
  }
  return {
    kind: 'content',
    content: bounded(body ?? new ReadableStream(), maxBytes),
    ...(mime === null ? {} : { mime }),
    ...(size === undefined ? {} : { size }),
  };
}

async function* bounded(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The attachment has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

function addressOf(homeserver: string, path: string): string {
  const { origin, pathname } = new URL(homeserver);
  return `${origin}${pathname.replace(/\/+$/, '')}${path}`;
}

function unavailable(reason: string, status?: number): DownloadOutcome {
  return { kind: 'unavailable', reason, cause: status };
}

import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import type { HttpClient, HttpResponse } from '../http-client.ts';
import { limitedContent } from '../limited-content.ts';
import { isOk } from './client.ts';
import type { MatrixSession } from './session.ts';

/** Since Matrix 1.11 media requires a token; older homeservers know only the second path. */
const ADDRESSES = ['/_matrix/client/v1/media/download', '/_matrix/media/v3/download'];

/** Downloads an `mxc://` URL from our own homeserver. */
export async function download(
  http: HttpClient,
  homeserver: string,
  { token }: Pick<MatrixSession, 'token'>,
  { url }: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  const [, server, media] = /^mxc:\/\/([^/?#]+)\/([\w-]+)$/.exec(url ?? '') ?? [];
  if (server === undefined || media === undefined) return unavailable('The attachment has no address to load it from.');
  for (const address of ADDRESSES) {
    const response = await http.request(
      addressOf(homeserver, `${address}/${encodeURIComponent(server)}/${media}`),
      // The size that the homeserver reports is that of the content only if it is not compressed.
      { headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'identity' }, signal },
    );
    if (isOk(response)) return contentOf(response, maxBytes);
    response.body.destroy();
    if (response.status !== 404) return unavailable('The homeserver refuses the attachment.', response.status);
  }
  return unavailable('The homeserver does not have the attachment.');
}

function contentOf({ header, body }: HttpResponse, maxBytes: number): DownloadOutcome {
  const [mime, length] = [header('content-type'), header('content-length')];
  const size = length === undefined ? undefined : Number(length);
  if (size !== undefined && size > maxBytes) {
    body.destroy();
    return { kind: 'too-large', size };
  }
  return {
    kind: 'content',
    content: limitedContent(body, maxBytes),
    ...(mime === undefined ? {} : { mime }),
    ...(size === undefined ? {} : { size }),
  };
}

function addressOf(homeserver: string, path: string): string {
  const { origin, pathname } = new URL(homeserver);
  return `${origin}${pathname.replace(/\/+$/, '')}${path}`;
}

function unavailable(reason: string, status?: number): DownloadOutcome {
  return { kind: 'unavailable', reason, cause: status };
}

import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import { limitedContent } from '../limited-content.ts';
import type { BeeperClient } from './client.ts';
import { isMediaUrl } from './convert.ts';

/** Downloads a file of a message from Beeper Desktop, which fetches it from the network if needed. */
export async function download(
  client: BeeperClient,
  { url, mime }: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  if (!isMediaUrl(url)) return unavailable('The attachment has no address to load it from.');
  const { status, header, body } = await client.open({ path: ['assets', 'serve'], query: { url }, signal });
  const length = header('content-length');
  const size = length === undefined ? undefined : Number(length);
  if (status !== 200) {
    body.destroy();
    return unavailable('Beeper does not have the attachment.', status);
  }
  if (size !== undefined && size > maxBytes) {
    body.destroy();
    return { kind: 'too-large', size };
  }
  const type = mime ?? header('content-type');
  return {
    kind: 'content',
    content: limitedContent(body, maxBytes),
    ...(type === undefined ? {} : { mime: type }),
    ...(size === undefined ? {} : { size }),
  };
}

function unavailable(reason: string, cause?: unknown): DownloadOutcome {
  return { kind: 'unavailable', reason, cause };
}

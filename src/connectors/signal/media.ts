import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import { attachmentPlace } from './content.ts';
import { RpcError } from './daemon.ts';
import { readAttachment } from './schema.ts';
import type { Link } from './session.ts';

/** signal-cli gives an attachment as one line of text. */
const MAX_BYTES = 64 * 1024 * 1024;
const DOWNLOAD_MS = 180_000;

/** Reads an attachment that signal-cli has stored when it received the message. */
export async function download(
  { daemon, account, directory }: Link,
  attachment: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  const place = attachmentPlace(attachment);
  if (!place) return unavailable('The attachment has no address to load it from.');
  const { size, mime } = attachment;
  if (size !== undefined && size > Math.min(maxBytes, MAX_BYTES)) return { kind: 'too-large', size };
  const { chat, id } = place;
  const from = directory.hasGroup(chat) ? { groupId: chat } : { recipient: chat };
  try {
    const answer = await daemon.call(
      'getAttachment',
      { ...account.parameters, id, ...from },
      { signal, timeoutMs: DOWNLOAD_MS },
    );
    const data = readAttachment(answer);
    if (data === undefined) return unavailable('signal-cli does not have the attachment.');
    const content = Buffer.from(data, 'base64');
    if (content.length > maxBytes) return { kind: 'too-large', size: content.length };
    return { kind: 'content', content: once(content), size: content.length, ...(mime === undefined ? {} : { mime }) };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return unavailable('signal-cli does not have the attachment.', error);
  }
}

async function* once(content: Uint8Array): AsyncIterable<Uint8Array> {
  yield content;
}

function unavailable(reason: string, cause?: unknown): DownloadOutcome {
  return { kind: 'unavailable', reason, cause };
}

import type { tl } from '@mtcute/core';
import type { BaseTelegramClient } from '@mtcute/core/client.js';
import { downloadAsIterable } from '@mtcute/core/methods.js';
import { toInputChannel } from '@mtcute/core/utils.js';
import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import type { Call } from './client.ts';
import { messageAt } from './convert.ts';
import { largestOf } from './media.ts';
import { channelOf } from './names.ts';

interface DownloadParts {
  api: BaseTelegramClient;
  call: Call;
  inputPeer(chat: string): Promise<tl.TypeInputPeer>;
  /** Aborted when the connection is lost. */
  over: AbortSignal;
}

interface File {
  location: tl.TypeInputFileLocation;
  dcId: number;
  size: number;
  mime?: string;
}

/** Downloads the file of a message, which is asked for again: a reference to a file is valid for hours only. */
export async function download(
  parts: DownloadParts,
  { url }: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  const place = messageAt(url);
  if (!place) return unavailable('The attachment has no address to load it from.');
  const media = await mediaAt(parts, place);
  const file = media && fileOf(media);
  if (!file) return unavailable('Telegram does not have the attachment any more.');
  if (file.size > maxBytes) return { kind: 'too-large', size: file.size };
  const content = downloadAsIterable(parts.api, file.location, {
    dcId: file.dcId,
    fileSize: file.size,
    abortSignal: AbortSignal.any([signal, parts.over]),
  });
  const { mime, size } = file;
  return { kind: 'content', content: bounded(content, maxBytes), size, ...(mime ? { mime } : {}) };
}

async function mediaAt(
  { call, inputPeer }: DownloadParts,
  { chat, message }: { chat: string; message: number },
): Promise<tl.TypeMessageMedia | undefined> {
  const id: tl.TypeInputMessage[] = [{ _: 'inputMessageID', id: message }];
  const answer =
    channelOf(chat) === undefined
      ? await call({ _: 'messages.getMessages', id })
      : await call({ _: 'channels.getMessages', channel: toInputChannel(await inputPeer(chat)), id });
  const found = 'messages' in answer ? answer.messages.find((each) => each.id === message) : undefined;
  return found?._ === 'message' ? found.media : undefined;
}

function fileOf(media: tl.TypeMessageMedia): File | undefined {
  if (media._ === 'messageMediaDocument' && media.document?._ === 'document') {
    const { id, accessHash, fileReference, dcId, size, mimeType: mime } = media.document;
    const location = { _: 'inputDocumentFileLocation', id, accessHash, fileReference, thumbSize: '' } as const;
    return { location, dcId, size, mime };
  }
  if (media._ !== 'messageMediaPhoto' || media.photo?._ !== 'photo') return undefined;
  const largest = largestOf(media.photo);
  if (!largest) return undefined;
  const { id, accessHash, fileReference, dcId } = media.photo;
  const location = { _: 'inputPhotoFileLocation', id, accessHash, fileReference, thumbSize: largest.type } as const;
  return { location, dcId, size: largest.size, mime: 'image/jpeg' };
}

async function* bounded(content: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The attachment has more than ${maxBytes} bytes.`);
    yield chunk;
  }
}

function unavailable(reason: string): DownloadOutcome {
  return { kind: 'unavailable', reason };
}

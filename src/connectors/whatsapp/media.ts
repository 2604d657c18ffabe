import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto';
import type { Attachment } from '../../domain/chat.ts';
import type { DownloadOutcome, DownloadRequest } from '../connector.ts';
import type { Library } from './library.ts';
import { parseMediaAddress } from './media-address.ts';
import type { WhatsappSettings } from './settings.ts';

const SERVER = 'https://mmg.whatsapp.net';
const MAC_BYTES = 10;
const BLOCK_BYTES = 16;

/** The encrypted file is longer by a block at most, and the authentication code. */
const MOST_OVERHEAD = BLOCK_BYTES + MAC_BYTES;

interface EncryptedFile {
  /** In WhatsApp's words; the keys are derived from it. */
  kind: string;
  path: string;
  key: Uint8Array;
}

export async function download(
  library: Library,
  settings: WhatsappSettings,
  { url, mime, size }: Attachment,
  { maxBytes, signal }: DownloadRequest,
): Promise<DownloadOutcome> {
  const address = parseMediaAddress(url);
  if (!address) return { kind: 'unavailable', reason: 'The attachment has no address to load it from.' };
  if (size !== undefined && size > maxBytes) return { kind: 'too-large', size };
  const response = await request(settings, address.path, signal);
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    const isGone = [403, 404, 410].includes(response.status);
    if (!isGone) throw new Error(`the media server answered ${response.status}`);
    return {
      kind: 'unavailable',
      reason: 'WhatsApp no longer has the attachment. The phone may still have it.',
      cause: response.status,
    };
  }
  const length = Number(response.headers.get('content-length') ?? 0);
  if (length > maxBytes + MOST_OVERHEAD) {
    await response.body.cancel();
    return { kind: 'too-large', size: length - MOST_OVERHEAD };
  }
  return {
    kind: 'content',
    content: decrypted(library, address, response.body, maxBytes),
    ...(mime === undefined ? {} : { mime }),
    ...(size === undefined ? {} : { size }),
  };
}

/** Downloads and decrypts a file that the library would load without a limit. */
export async function loadFile(
  library: Library,
  settings: WhatsappSettings,
  file: EncryptedFile,
  { maxBytes, signal }: DownloadRequest,
): Promise<Buffer> {
  const response = await request(settings, file.path, signal);
  if (!response.ok || !response.body) throw new Error(`the media server answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of decrypted(library, file, response.body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function request({ endpoint }: WhatsappSettings, path: string, signal: AbortSignal): Promise<Response> {
  const server = endpoint === undefined ? SERVER : new URL(endpoint.replace(/^ws/i, 'http')).origin;
  return fetch(`${server}${path}`, {
    headers: { origin: 'https://web.whatsapp.com', 'accept-encoding': 'identity' },
    redirect: 'error',
    signal,
  });
}

/** Throws at the end if the file is not what the sender encrypted. */
async function* decrypted(
  library: Library,
  { kind, key }: EncryptedFile,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncIterable<Uint8Array> {
  const { cipherKey, iv, macKey } = await library.getMediaKeys(key, kind as never);
  if (!macKey) throw new Error('the media has no key');
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const mac = createHmac('sha256', macKey).update(iv);
  let [rest, size] = [Buffer.alloc(0), 0];
  const counted = (bytes: Buffer) => {
    size += bytes.length;
    if (size > maxBytes) throw new Error(`The attachment has more than ${maxBytes} bytes.`);
    return bytes;
  };
  for await (const chunk of body) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = Math.max(bytes.length - MAC_BYTES, 0);
    rest = bytes.subarray(end);
    mac.update(bytes.subarray(0, end));
    yield counted(decipher.update(bytes.subarray(0, end)));
  }
  const last = counted(decipher.final());
  if (rest.length !== MAC_BYTES || !timingSafeEqual(mac.digest().subarray(0, MAC_BYTES), rest)) {
    throw new Error('The attachment was modified or is incomplete.');
  }
  yield last;
}

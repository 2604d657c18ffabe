import { request } from 'node:https';
import type { LookupFunction } from 'node:net';

const MAX_BYTES = 256 * 1024;
const MAX_REDIRECTS = 2;

interface DocumentOptions {
  /** Resolves only names that may be connected to. */
  lookup: LookupFunction;
  signal: AbortSignal;
  /** Certificates to trust instead of the usual ones. */
  ca?: string;
}

/** The text of a document, by HTTPS only, also where it is redirected. Throws if there is none, or it is too large. */
export async function httpsDocument(url: string, options: DocumentOptions): Promise<string> {
  let next = new URL(url);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await get(next, options);
    if (typeof answer === 'string') return answer;
    next = answer;
  }
  throw new Error('too many redirects');
}

/** The document, or where it is instead. */
function get(url: URL, { lookup, signal, ca }: DocumentOptions): Promise<string | URL> {
  const { promise, resolve, reject } = Promise.withResolvers<string | URL>();
  if (url.protocol !== 'https:') throw new Error('not a HTTPS address');
  // An address instead of a name would not be looked up, and so not be checked.
  if (/^[\d.]+$|^\[/.test(url.hostname)) throw new Error('an address instead of a name');
  const asked = request(url, { lookup, signal, agent: false, ...(ca === undefined ? {} : { ca }) });
  asked.once('error', reject);
  asked.once('response', (response) => {
    const { statusCode = 0, headers } = response;
    if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
      asked.destroy();
      if (URL.canParse(headers.location, url.href)) resolve(new URL(headers.location, url));
    }
    if (statusCode !== 200) {
      reject(new Error(`status ${statusCode}`));
      asked.destroy();
      return;
    }
    bounded(response)
      .then(resolve, reject)
      .finally(() => asked.destroy());
  });
  asked.end();
  return promise;
}

async function bounded(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) throw new Error('the document is too large');
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}

const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 30_000;
/** Responses with these may have no body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

interface Request {
  body?: unknown;
  headers: Record<string, string>;
  method: string;
  signal?: AbortSignal | undefined;
}

/**
 * A request to an OAuth authority: limited in time and size, and never redirected. Identity tokens are left out of the answer: we
 * use none, and the library would compare them with an issuer that may not be known.
 */
export async function authorityFetch(
  url: string,
  { body, headers, method, signal }: Request,
  send: typeof fetch = fetch,
): Promise<Response> {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const response = await send(url, {
    method,
    headers,
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    ...(body instanceof URLSearchParams || typeof body === 'string' ? { body } : {}),
  });
  const text = await boundedText(response);
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  const location = response.headers.get('location');
  return new Response(WITHOUT_BODY.has(status) ? null : withoutIdentity(text), {
    status,
    headers: { 'content-type': type, ...(location === null ? {} : { location }) },
  });
}

async function boundedText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop cancels the rest.
    if (text.length > MAX_BYTES) throw new Error('the answer is too large');
  }
  return text + decoder.decode();
}

function withoutIdentity(text: string): string {
  if (!text.includes('id_token')) return text;
  try {
    return JSON.stringify(JSON.parse(text), (key, value: unknown) => (key === 'id_token' ? undefined : value));
  } catch {
    return text;
  }
}

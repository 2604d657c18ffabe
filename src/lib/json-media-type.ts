/**
 * Whether a Content-Type header declares JSON. A page of another origin can send text and forms without asking first, but
 * never this type: browsers send a preflight request before.
 */
export function isJsonMediaType(contentType: string | undefined): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(contentType ?? '');
}

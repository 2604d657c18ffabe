import { AppError } from '../../domain/errors.ts';

/** A part of an address: a fixed text, or an input with its answer, or with a reference to the secret that it is. */
export type UrlValue = { text: string } | { key: string; answer?: string; reference?: string };

const REFERENCE = /\$\{secret:(\w+)\}/g;

/**
 * An address from its parts. An answer is encoded where it is, so that it cannot change the rest of the address; only
 * one at the very beginning may be a whole URL. Where answers are missing, the text has `{key}` in their places.
 */
export function urlFrom(parts: readonly UrlValue[]): string {
  let url = '';
  let isComplete = true;
  let lastKey: string | undefined;
  for (const part of parts) {
    if ('text' in part) url += part.text;
    else {
      lastKey = part.key;
      isComplete &&= part.answer !== undefined || part.reference !== undefined;
      url += part.reference ?? (part.answer === undefined ? `{${part.key}}` : encoded(part.key, part.answer, url));
    }
  }
  if (isComplete && lastKey !== undefined && !isHttpAddress(withoutReferences(url))) {
    throw new AppError('VALIDATION_ERROR', `The value of ${lastKey} makes no HTTP address.`, { field: lastKey });
  }
  return url;
}

/** The address with another query parameter; without an answer it stays as it is. */
export function queryInUrl(url: string, name: string, parts: readonly UrlValue[]): string {
  const value = parts.map((part) => {
    if ('text' in part) return encodeURIComponent(part.text.toWellFormed());
    return part.reference ?? (part.answer === undefined ? undefined : encodeURIComponent(part.answer.toWellFormed()));
  });
  if (value.includes(undefined)) return url;
  const [address = '', fragment] = url.split('#', 2);
  const parameter = `${encodeURIComponent(name.toWellFormed())}=${value.join('')}`;
  return `${address}${address.includes('?') ? '&' : '?'}${parameter}${fragment === undefined ? '' : `#${fragment}`}`;
}

/** HTTP or HTTPS, without a password in it. */
export function isHttpAddress(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && /^https?:$/.test(parsed.protocol) && parsed.username === '' && parsed.password === '';
}

/** HTTPS, or HTTP on this machine. */
export function isSafeAddress(url: string): boolean {
  const { protocol, hostname = '' } = URL.parse(url) ?? {};
  const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  return isHttpAddress(url) && (protocol === 'https:' || isHere);
}

/** Names of the secrets that a text refers to. */
export function secretNamesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].map(([, name = '']) => name);
}

/** An address to connect to: its references are replaced by the secrets. `secretOf` throws where there is none. */
export function urlWithSecrets(url: string, secretOf: (name: string) => string): string {
  return url.replace(REFERENCE, (_, name: string) => encodeURIComponent(secretOf(name).toWellFormed()));
}

function withoutReferences(url: string): string {
  return url.replace(REFERENCE, 'secret');
}

function encoded(key: string, answer: string, before: string): string {
  if (before === '') return answer;
  if (/^[a-z]+:\/\/[^/?#]*$/i.test(before)) {
    if (/^[\w.-]+(:\d{1,5})?$/.test(answer)) return answer;
    throw new AppError('VALIDATION_ERROR', `The value of ${key} is not a host name.`, { field: key });
  }
  const text = answer.toWellFormed();
  if (/[?#]/.test(before)) return encodeURIComponent(text);
  const segments = text.split('/');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw new AppError('VALIDATION_ERROR', `The value of ${key} has "." or ".." as a part of a path.`, { field: key });
  }
  return segments.map(encodeURIComponent).join('/');
}

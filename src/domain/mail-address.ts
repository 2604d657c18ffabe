/** Longest address: RFC 5321, section 4.5.3.1. */
const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;

const ATOM = String.raw`[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_\x60{|}~]+`;
const DOT_ATOM = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
/** Without quotes, backslashes and angle brackets in it: no server needs them, and some read them differently. */
const QUOTED = /^"[\x20!#-;=?-[\]-~]+"$/;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\-]{0,61}[\p{L}\p{M}\p{N}])?`;
const DOMAIN = new RegExp(String.raw`^${LABEL}(?:\.${LABEL})*$`, 'u');

/** Whether mail can be sent to this address, without a name and without angle brackets. */
export function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf('@');
  if (at < 1 || looksEncoded(address) || address.length > MAX_ADDRESS || at > MAX_LOCAL_PART) return false;
  const local = address.slice(0, at);
  return (DOT_ATOM.test(local) || QUOTED.test(local)) && DOMAIN.test(address.slice(at + 1));
}

/** An id as in the header `Message-ID`, without its angle brackets, if it can be repeated in another header. */
export function isMessageId(id: string): boolean {
  return /^[!-;=?-~]{1,250}$/.test(id) && !looksEncoded(id);
}

/** As an encoded word does (RFC 2047): many programs decode it wherever it is in a header. */
function looksEncoded(text: string): boolean {
  return text.includes('=?');
}

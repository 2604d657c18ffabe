/**
 * The part of a host that its owner has registered: the last two labels, or three where the second is `co` or the like.
 * Undefined for an address, or a name without a domain.
 */
export function organisationDomain(host: string): string | undefined {
  const name = host.toLowerCase().replace(/\.$/, '');
  if (!ASCII_NAME.test(name) && !ANY_NAME.test(name)) return undefined;
  const labels = name.split('.');
  const [second = '', top = ''] = labels.slice(-2);
  const isShared = labels.length > 2 && top.length === 2 && (second.length <= 2 || SHARED.has(second));
  return labels.slice(isShared ? -3 : -2).join('.');
}

/** Not digits alone, which are an address. */
const ASCII_NAME = /^(?![\d.]*$)[a-z\d-]+(?:\.[a-z\d-]+)+$/;
const ANY_NAME = /^(?![\d.]*$)[\p{L}\p{N}\p{M}-]+(?:\.[\p{L}\p{N}\p{M}-]+)+$/u;

/** Second labels under which countries register others. */
const SHARED = new Set(['com', 'net', 'org', 'gov', 'edu', 'mil', 'gob', 'ltd', 'plc', 'nhs', 'asn', 'nom', 'web']);

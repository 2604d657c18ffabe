/** An address: `local@domain/resource`. The part before the slash is case-insensitive. */
export interface Jid {
  local: string;
  domain: string;
  /** Empty if there is none. */
  resource: string;
}

export function parseJid(text: string): Jid {
  const slash = text.indexOf('/');
  const [bare, resource] = slash === -1 ? [text, ''] : [text.slice(0, slash), text.slice(slash + 1)];
  const at = bare.indexOf('@');
  return { local: bare.slice(0, Math.max(at, 0)).toLowerCase(), domain: bare.slice(at + 1).toLowerCase(), resource };
}

/** Bare address, without the resource. */
export function bareJid(text: string): string {
  const { local, domain } = parseJid(text);
  return local === '' ? domain : `${local}@${domain}`;
}

export function resourceOf(text: string): string {
  return parseJid(text).resource;
}

/** Normalized for comparison; the resource is unchanged. */
export function normalJid(text: string): string {
  const { resource } = parseJid(text);
  return resource === '' ? bareJid(text) : `${bareJid(text)}/${resource}`;
}

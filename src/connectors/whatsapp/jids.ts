/** Servers of addresses that mean a person, and the usual one for each. */
const PERSONS: Record<string, string> = {
  's.whatsapp.net': 's.whatsapp.net',
  'c.us': 's.whatsapp.net',
  hosted: 's.whatsapp.net',
  lid: 'lid',
  'hosted.lid': 'lid',
};

export interface Jid {
  user: string;
  server: string;
}

/** `USER[_AGENT][:DEVICE]@SERVER`; agent and device are left out. */
export function parseJid(text: string | null | undefined): Jid | undefined {
  const [, user, server] = /^([^@:\s]{1,128})(?::\d{1,5})?@([a-z.]{1,32})$/.exec(text ?? '') ?? [];
  if (user === undefined || server === undefined) return undefined;
  const usual = PERSONS[server];
  return usual === undefined ? { user, server } : { user: user.replace(/_\d+$/, ''), server: usual };
}

export function isPerson({ server }: Jid): boolean {
  return server === 's.whatsapp.net' || server === 'lid';
}

export function formatJid({ user, server }: Jid): string {
  return `${user}@${server}`;
}

/** A phone number as people write it: `+358401234567`. */
export function phoneNumberIn(id: string): string | undefined {
  const jid = parseJid(id);
  return jid?.server === 's.whatsapp.net' && /^\d{5,15}$/.test(jid.user) ? `+${jid.user}` : undefined;
}

/** The id of the direct chat with this number or address, or of a group. */
export function chatIdIn(text: string): string | undefined {
  const digits = text.replace(/[\s().-]/g, '');
  if (/^\+\d{5,15}$/.test(digits)) return `${digits.slice(1)}@s.whatsapp.net`;
  const jid = parseJid(text);
  return jid && (isPerson(jid) || jid.server === 'g.us') ? formatJid(jid) : undefined;
}

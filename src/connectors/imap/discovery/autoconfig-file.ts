import type { FoundServers, MailServer } from '../../mail-connector.ts';
import { hostName } from './names.ts';

const HIGHEST_PORT = 65_535;
const MAX_SERVERS = 20;
/** Within a tag there is no `<`, so that a match fails without reading far. */
const TAG = /<(\/?)([A-Za-z][\w.-]*)([^<>]*)>/g;
const FIELDS = new Set(['hostname', 'port', 'socketType']);

interface Entry {
  type: string;
  fields: Record<string, string>;
}

/**
 * The first servers for IMAP and SMTP with TLS in a file of Mozilla's format. User names, texts and links in it are ignored, as
 * is everything that is not such a server.
 */
export function serversInFile(xml: string, domain: string): FoundServers | undefined {
  const { incoming, outgoing } = entriesIn(xml);
  const imap = firstServer(incoming, 'imap', domain);
  const smtp = firstServer(outgoing, 'smtp', domain);
  return imap && { imap, ...(smtp ? { smtp } : {}) };
}

/** Entities are not decoded: none of the fields that we read can have one. */
function entriesIn(xml: string): { incoming: Entry[]; outgoing: Entry[] } {
  const lists: Record<string, Entry[]> = { incomingServer: [], outgoingServer: [] };
  const text = withoutComments(xml);
  let entry: Entry | undefined;
  let field: { name: string; from: number } | undefined;
  for (const tag of text.matchAll(TAG)) {
    const [whole, slash, name = '', attributes = ''] = tag;
    if (entry && field && slash === '/' && name === field.name) {
      entry.fields[name] ??= text.slice(field.from, tag.index);
    }
    field = slash === '' && FIELDS.has(name) ? { name, from: tag.index + whole.length } : undefined;
    const list = Object.hasOwn(lists, name) ? lists[name] : undefined;
    if (!list) continue;
    entry = slash === '' && list.length < MAX_SERVERS ? { type: typeIn(attributes), fields: {} } : undefined;
    if (entry) list.push(entry);
  }
  return { incoming: lists.incomingServer ?? [], outgoing: lists.outgoingServer ?? [] };
}

/** A comment without an end hides the rest. */
function withoutComments(xml: string): string {
  const [first = '', ...others] = xml.split('<!--');
  const ends = others.map((each) => each.indexOf('-->'));
  const open = ends.indexOf(-1);
  const closed = open === -1 ? others : others.slice(0, open);
  return [first, ...closed.map((each, index) => each.slice((ends[index] ?? 0) + 3))].join(' ');
}

function typeIn(attributes: string): string {
  return /\stype\s*=\s*["']([a-z0-9]{1,10})["']/.exec(attributes)?.[1] ?? '';
}

function firstServer(entries: readonly Entry[], type: string, domain: string): MailServer | undefined {
  for (const entry of entries) {
    const server = entry.type === type ? toServer(entry.fields, domain) : undefined;
    if (server) return server;
  }
  return undefined;
}

function toServer(
  { hostname = '', port = '', socketType = '' }: Entry['fields'],
  domain: string,
): MailServer | undefined {
  const host = hostName(hostname.trim().toLowerCase().replaceAll('%emaildomain%', domain));
  const tls = { SSL: true, STARTTLS: 'starttls' }[socketType.trim().toUpperCase()] as MailServer['tls'] | undefined;
  const number = /^\s*\d{1,5}\s*$/.test(port) ? Number(port) : 0;
  if (host === undefined || tls === undefined || number < 1 || number > HIGHEST_PORT) return undefined;
  return { host, port: number, tls };
}

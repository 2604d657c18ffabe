import { Parser } from 'htmlparser2';
import type { FoundServers, MailServer } from '../../mail-connector.ts';
import { hostName } from './names.ts';

const HIGHEST_PORT = 65_535;
const MAX_SERVERS = 20;
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

function entriesIn(xml: string): { incoming: Entry[]; outgoing: Entry[] } {
  const lists = { incomingServer: [] as Entry[], outgoingServer: [] as Entry[] };
  let entry: Entry | undefined;
  let field: string | undefined;
  const parser = new Parser(
    {
      onopentag(name, { type = '' }) {
        field = entry && FIELDS.has(name) ? name : undefined;
        if (!isList(name) || lists[name].length >= MAX_SERVERS) return;
        entry = { type, fields: {} };
        lists[name].push(entry);
      },
      ontext(text) {
        if (entry && field !== undefined) entry.fields[field] = (entry.fields[field] ?? '') + text;
      },
      onclosetag(name) {
        field = undefined;
        if (isList(name)) entry = undefined;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return { incoming: lists.incomingServer, outgoing: lists.outgoingServer };

  function isList(name: string): name is keyof typeof lists {
    return Object.hasOwn(lists, name);
  }
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

import type { FoundServers, MailDiscovery, MailServer } from '../../connectors/mail-connector.ts';
import { PRESETS, type PresetId, presetOfDomain, presetOfExchanger, presetOfHost, presetOfServers } from './presets.ts';

/** Servers for an address, and how they were found. */
export interface DiscoveredServers extends FoundServers {
  preset?: PresetId;
  foundBy: 'preset' | 'file' | 'records' | 'exchanger' | 'name';
  /** Whether a password may be sent there unasked: servers of the same domain, or of a preset for this address. */
  isTrusted: boolean;
}

/** Names that servers of a domain usually have. */
const NAMES = { imap: ['imap', 'mail'], smtp: ['smtp', 'mail'] } as const;

/**
 * The servers for an address: of a known provider, as the domain publishes them in a file or in records, of the provider that
 * receives its mail, or by usual names. Undefined if there are none.
 */
export async function discoverServers(
  email: string,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Promise<DiscoveredServers | undefined> {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const known = presetOfDomain(domain);
  if (known) return ofPreset(known, 'preset');
  const [file, records, exchangers] = await Promise.all([
    discovery.published(domain, signal),
    discovery.records(domain, signal),
    discovery.exchangers(domain, signal),
  ]);
  if (file) return judged(file, domain, 'file');
  if (records) return judged(records, domain, 'records');
  const [provider] = exchangers.flatMap((name) => presetOfExchanger(name) ?? []);
  if (provider) return ofPreset(provider, 'exchanger');
  const guessed = await byName(domain, discovery, signal);
  return guessed && judged(guessed, domain, 'name');
}

function ofPreset(preset: PresetId, foundBy: DiscoveredServers['foundBy']): DiscoveredServers {
  const { imap, smtp } = PRESETS[preset];
  // Records of mail exchangers are not signed, but can only lead to a provider that we know.
  return { preset, imap: { ...imap }, smtp: { ...smtp }, foundBy, isTrusted: true };
}

function judged(found: FoundServers, domain: string, foundBy: DiscoveredServers['foundBy']): DiscoveredServers {
  const preset = presetOfServers(found.imap, found.smtp);
  // The user has to recognize any other server: whoever controls the answer could name one.
  const isTrusted = [found.imap, found.smtp].every((server) => !server || isExpected(server.host, domain));
  return { ...found, ...(preset ? { preset } : {}), foundBy, isTrusted };
}

function isExpected(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`) || presetOfHost(host) !== undefined;
}

async function byName(
  domain: string,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Promise<FoundServers | undefined> {
  const first = async (protocol: 'imap' | 'smtp', servers: readonly MailServer[]) => {
    const answers = await Promise.all(servers.map((server) => discovery.answers(server, protocol, signal)));
    return servers.find((_, index) => answers[index]);
  };
  const named = (protocol: 'imap' | 'smtp', port: number, tls: MailServer['tls']) =>
    NAMES[protocol].map((name) => ({ host: `${name}.${domain}`, port, tls }));
  const [imap, smtp] = await Promise.all([
    first('imap', named('imap', 993, true)),
    first('smtp', [...named('smtp', 465, true), ...named('smtp', 587, 'starttls')]),
  ]);
  return imap && { imap, ...(smtp ? { smtp } : {}) };
}

import type { MailDiscovery, MailServer } from '../../connectors/mail-connector.ts';
import { AppError } from '../../domain/errors.ts';
import type { Dialog } from '../../lib/dialogs.ts';
import type { ServerSettings } from '../settings.ts';
import { type DiscoveredServers, discoverServers } from './discover-servers.ts';
import { PRESETS, type PresetId } from './presets.ts';
import { type AccountStep, ask } from './sign-in.ts';

export interface ServerRequest {
  host?: string | undefined;
  port?: number | undefined;
  tls?: MailServer['tls'] | undefined;
}

export interface ServersRequest {
  provider?: PresetId | 'imap' | undefined;
  imap: ServerRequest;
  smtp: ServerRequest;
  /** Without a server for sending. */
  receiveOnly: boolean;
}

export interface ChosenServers {
  provider: PresetId | 'imap';
  imap: ServerSettings;
  smtp?: ServerSettings;
}

const PORTS = { imap: 993, smtp: 465 } as const;
/** Ports on which TLS begins after the greeting. */
const STARTTLS_PORTS: ReadonlySet<number> = new Set([143, 587, 25]);

/** The servers of a new account: as given, of the provider, as they are found, or as a person tells. */
export async function* chooseServers(
  email: string,
  request: ServersRequest,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Dialog<AccountStep, ChosenServers> {
  const { provider, receiveOnly } = request;
  const { host } = request.imap;
  const chosen =
    provider !== undefined && provider !== 'imap'
      ? ofPreset(provider)
      : host !== undefined
        ? await ofGiven({ ...request.imap, host }, request, discovery, signal)
        : yield* find(email, discovery, signal);
  const overridden = withGiven(chosen, request);
  if (!receiveOnly) return overridden;
  // A preset would bring its server for sending.
  return { provider: 'imap', imap: overridden.imap };
}

/** If only the server for reading is given, it is asked whether it sends too. */
async function ofGiven(
  given: ServerRequest & { host: string },
  { smtp, receiveOnly }: ServersRequest,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Promise<ChosenServers> {
  const imap = toServer(given, 'imap');
  if (receiveOnly || smtp.host !== undefined) return { provider: 'imap', imap };
  const candidates = [465, 587].map((port) => toServer({ host: given.host, port }, 'smtp'));
  const answers = await Promise.all(candidates.map((each) => discovery.answers(each, 'smtp', signal)));
  const sending = candidates.find((_, index) => answers[index]);
  if (sending) return { provider: 'imap', imap, smtp: sending };
  throw new AppError('VALIDATION_ERROR', `${given.host} does not answer as a server for sending.`, {
    field: 'smtp_host',
    hint: 'Name the server for sending (--smtp-host), or add the account without one (--receive-only).',
  });
}

function ofPreset(provider: PresetId): ChosenServers {
  const { imap, smtp } = PRESETS[provider];
  return { provider, imap, smtp };
}

function withGiven(chosen: ChosenServers, { imap, smtp }: ServersRequest): ChosenServers {
  const { host: imapHost } = imap;
  const { host: smtpHost } = smtp;
  if (imapHost === undefined && smtpHost === undefined) return chosen;
  return {
    ...chosen,
    // Its servers are stored with the account, not taken from the preset.
    provider: 'imap',
    ...(imapHost === undefined ? {} : { imap: toServer({ ...imap, host: imapHost }, 'imap') }),
    ...(smtpHost === undefined ? {} : { smtp: toServer({ ...smtp, host: smtpHost }, 'smtp') }),
  };
}

function toServer({ host, port, tls }: ServerRequest & { host: string }, protocol: keyof typeof PORTS): ServerSettings {
  const usual = port ?? (tls === 'starttls' ? { imap: 143, smtp: 587 }[protocol] : PORTS[protocol]);
  return { host, port: usual, tls: tls ?? (STARTTLS_PORTS.has(usual) ? 'starttls' : true) };
}

async function* find(email: string, discovery: MailDiscovery, signal: AbortSignal): Dialog<AccountStep, ChosenServers> {
  const found = await discoverServers(email, discovery, signal);
  if (!found) return yield* askForServers(email);
  if (!found.isTrusted) {
    const answer = yield ask('confirm_servers', `${described(found)} Send your password there? (yes or no)`);
    if (!/^y(es)?$/i.test(answer.trim())) return yield* askForServers(email);
  }
  const { preset: provider = 'imap', imap, smtp } = found;
  return { provider, imap, ...(smtp ? { smtp } : {}) };
}

const FOUND_BY: Readonly<Record<DiscoveredServers['foundBy'], string>> = {
  preset: 'The provider is known',
  file: 'The domain publishes these servers for mail programs',
  records: 'The domain publishes these servers in DNS',
  exchanger: 'The provider of the domain is known',
  name: 'These servers answer',
};

function described({ foundBy, imap, smtp }: DiscoveredServers): string {
  const sending = smtp ? `, sending by ${smtp.host}:${smtp.port}` : '';
  return `${FOUND_BY[foundBy]}, but they belong to another domain: reading by ${imap.host}:${imap.port}${sending}.`;
}

async function* askForServers(email: string): Dialog<AccountStep, ChosenServers> {
  const reading = (yield ask('imap_host', `IMAP server for ${email} (host, or host:port)`)).trim();
  const sending = (yield ask('smtp_host', 'SMTP server (host, or host:port; empty to only read)')).trim();
  return {
    provider: 'imap',
    imap: toServer(parsed(reading, 'imap_host'), 'imap'),
    ...(sending === '' ? {} : { smtp: toServer(parsed(sending, 'smtp_host'), 'smtp') }),
  };
}

function parsed(text: string, field: string): { host: string; port?: number } {
  const [, host, port] = /^([^\s:/@]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === undefined) throw new AppError('VALIDATION_ERROR', 'This is no name of a server.', { field });
  return { host, ...(port === undefined ? {} : { port: Number(port) }) };
}

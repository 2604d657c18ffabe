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

const HIGHEST_PORT = 65_535;
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
  if (receiveOnly && isGiven(request.smtp)) {
    throw new AppError('VALIDATION_ERROR', 'An account that only receives takes no server for sending.', {
      field: 'receive_only',
    });
  }
  const { host } = request.imap;
  const chosen =
    provider !== undefined && provider !== 'imap'
      ? withGiven(ofPreset(provider), request)
      : host !== undefined
        ? await ofGiven({ ...request.imap, host }, request, discovery, signal)
        : yield* find(email, request, discovery, signal);
  if (!receiveOnly) return chosen;
  // A preset would bring its server for sending.
  return { provider: 'imap', imap: chosen.imap };
}

/** If nothing is said of sending, the server for reading is asked whether it does that too. */
async function ofGiven(
  given: ServerRequest & { host: string },
  { smtp, receiveOnly }: ServersRequest,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Promise<ChosenServers> {
  const imap = toServer(given, 'imap');
  if (receiveOnly) return { provider: 'imap', imap };
  const { host = given.host } = smtp;
  if (isGiven(smtp)) return { provider: 'imap', imap, smtp: toServer({ ...smtp, host }, 'smtp') };
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

/** What is given counts more than what was found: also a port, or a kind of TLS, of the server that was found. */
function withGiven(chosen: ChosenServers, { imap, smtp }: ServersRequest): ChosenServers {
  if (!isGiven(imap) && !isGiven(smtp)) return chosen;
  const { host: imapHost = chosen.imap.host } = imap;
  const { host: smtpHost = chosen.smtp?.host } = smtp;
  if (isGiven(smtp) && smtpHost === undefined) {
    throw new AppError('VALIDATION_ERROR', 'No server for sending was found.', {
      field: 'smtp_host',
      hint: 'Name it (--smtp-host).',
    });
  }
  return {
    ...chosen,
    // Its servers are stored with the account, not taken from the preset.
    provider: 'imap',
    ...(isGiven(imap) ? { imap: toServer({ ...imap, host: imapHost }, 'imap') } : {}),
    ...(isGiven(smtp) && smtpHost !== undefined ? { smtp: toServer({ ...smtp, host: smtpHost }, 'smtp') } : {}),
  };
}

function isGiven(server: ServerRequest): boolean {
  return Object.values(server).some((value) => value !== undefined);
}

function toServer({ host, port, tls }: ServerRequest & { host: string }, protocol: keyof typeof PORTS): ServerSettings {
  const usual = port ?? (tls === 'starttls' ? { imap: 143, smtp: 587 }[protocol] : PORTS[protocol]);
  return { host, port: usual, tls: tls ?? (STARTTLS_PORTS.has(usual) ? 'starttls' : true) };
}

async function* find(
  email: string,
  request: ServersRequest,
  discovery: MailDiscovery,
  signal: AbortSignal,
): Dialog<AccountStep, ChosenServers> {
  const found = await discoverServers(email, discovery, signal);
  if (!found) return yield* askForServers(email, request);
  const { preset: provider = 'imap', imap, smtp } = found;
  const chosen = withGiven({ provider, imap, ...(smtp ? { smtp } : {}) }, request);
  if (!found.isTrusted) {
    const answer = yield ask('confirm_servers', `${described(chosen, found)} Send your password there? (yes or no)`);
    if (!/^y(es)?$/i.test(answer.trim())) return yield* askForServers(email, request);
  }
  return chosen;
}

const FOUND_BY: Readonly<Record<DiscoveredServers['foundBy'], string>> = {
  preset: 'The provider is known',
  file: 'The domain publishes these servers for mail programs',
  records: 'The domain publishes these servers in DNS',
  exchanger: 'The provider of the domain is known',
  name: 'These servers answer',
};

function described({ imap, smtp }: ChosenServers, { foundBy }: DiscoveredServers): string {
  const sending = smtp ? `, sending by ${smtp.host}:${smtp.port}` : '';
  return `${FOUND_BY[foundBy]}, but they belong to another domain: reading by ${imap.host}:${imap.port}${sending}.`;
}

async function* askForServers(
  email: string,
  { imap, smtp, receiveOnly }: ServersRequest,
): Dialog<AccountStep, ChosenServers> {
  const reading = parsed(yield ask('imap_host', `IMAP server for ${email} (host, or host:port)`), 'imap_host');
  const sending = receiveOnly ? undefined : yield* askForSending(smtp);
  return {
    provider: 'imap',
    imap: toServer({ ...imap, ...reading }, 'imap'),
    ...(sending ? { smtp: toServer(sending, 'smtp') } : {}),
  };
}

async function* askForSending(
  smtp: ServerRequest,
): Dialog<AccountStep, (ServerRequest & { host: string }) | undefined> {
  if (smtp.host !== undefined) return { ...smtp, host: smtp.host };
  const answer = (yield ask('smtp_host', 'SMTP server (host, or host:port; empty to only read)')).trim();
  return answer === '' ? undefined : { ...smtp, ...parsed(answer, 'smtp_host') };
}

function parsed(text: string, field: string): { host: string; port?: number } {
  const [, host, digits] = /^([^\s:/@]+)(?::(\d{1,5}))?$/.exec(text.trim()) ?? [];
  if (host === undefined) throw new AppError('VALIDATION_ERROR', 'This is no name of a server.', { field });
  if (digits === undefined) return { host };
  const port = Number(digits);
  if (port >= 1 && port <= HIGHEST_PORT) return { host, port };
  throw new AppError('VALIDATION_ERROR', `A port is a number from 1 to ${HIGHEST_PORT}, not ${digits}.`, { field });
}

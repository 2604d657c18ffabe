/** Mail providers whose servers are known. */
export interface Preset {
  /** As in sentences. */
  name: string;
  imap: KnownServer;
  smtp: KnownServer;
  /** What it takes instead of the usual password, to follow its name, and the page that explains it. */
  password: { rule: string; page: string; isAccepted: boolean };
  /** The OAuth authority of the provider. */
  oauth?: 'google' | 'microsoft';
  /** Whether its SMTP server puts a copy of what it sends into the folder of sent mail. */
  savesSent: boolean;
  /** Domains of its addresses. */
  domains: readonly string[];
  /** Ends of the names of its mail exchangers, for domains of its customers. */
  exchangers: readonly string[];
}

export interface KnownServer {
  host: string;
  port: number;
  tls: true | 'starttls';
}

export const PRESETS = {
  gmail: {
    name: 'Gmail',
    imap: { host: 'imap.gmail.com', port: 993, tls: true },
    smtp: { host: 'smtp.gmail.com', port: 465, tls: true },
    password: {
      rule: 'takes an app password, which needs 2-step verification, or OAuth',
      page: 'https://support.google.com/accounts/answer/185833',
      isAccepted: true,
    },
    oauth: 'google',
    savesSent: true,
    domains: ['gmail.com', 'googlemail.com'],
    exchangers: ['google.com', 'googlemail.com'],
  },
  outlook: {
    name: 'Outlook.com',
    imap: { host: 'outlook.office365.com', port: 993, tls: true },
    smtp: { host: 'smtp-mail.outlook.com', port: 587, tls: 'starttls' },
    password: {
      rule: 'takes no password any more, only OAuth',
      page: 'https://support.microsoft.com/office/pop-imap-and-smtp-settings-for-outlook-com-d088b986-291d-42b8-9564-9c414e2aa040',
      isAccepted: false,
    },
    oauth: 'microsoft',
    savesSent: true,
    domains: ['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'outlook.de', 'outlook.fr', 'hotmail.co.uk'],
    exchangers: ['olc.protection.outlook.com'],
  },
  office365: {
    name: 'Microsoft 365',
    imap: { host: 'outlook.office365.com', port: 993, tls: true },
    smtp: { host: 'smtp.office365.com', port: 587, tls: 'starttls' },
    password: {
      rule: 'takes no password any more, only OAuth',
      page: 'https://learn.microsoft.com/exchange/clients-and-mobile-in-exchange-online/deprecation-of-basic-authentication-exchange-online',
      isAccepted: false,
    },
    oauth: 'microsoft',
    savesSent: true,
    domains: [],
    exchangers: ['mail.protection.outlook.com', 'mx.microsoft'],
  },
  fastmail: {
    name: 'Fastmail',
    imap: { host: 'imap.fastmail.com', port: 993, tls: true },
    smtp: { host: 'smtp.fastmail.com', port: 465, tls: true },
    password: {
      rule: 'takes an app password',
      page: 'https://www.fastmail.help/hc/en-us/articles/360058752854-App-passwords',
      isAccepted: true,
    },
    savesSent: false,
    domains: ['fastmail.com', 'fastmail.fm', 'sent.com', 'messagingengine.com'],
    exchangers: ['messagingengine.com'],
  },
  icloud: {
    name: 'iCloud',
    imap: { host: 'imap.mail.me.com', port: 993, tls: true },
    smtp: { host: 'smtp.mail.me.com', port: 587, tls: 'starttls' },
    password: { rule: 'takes an app-specific password', page: 'https://support.apple.com/102654', isAccepted: true },
    savesSent: false,
    domains: ['icloud.com', 'me.com', 'mac.com'],
    exchangers: ['mail.icloud.com'],
  },
  yahoo: {
    name: 'Yahoo',
    imap: { host: 'imap.mail.yahoo.com', port: 993, tls: true },
    smtp: { host: 'smtp.mail.yahoo.com', port: 465, tls: true },
    password: { rule: 'takes an app password', page: 'https://help.yahoo.com/kb/SLN15241.html', isAccepted: true },
    savesSent: false,
    domains: ['yahoo.com', 'ymail.com', 'rocketmail.com', 'yahoo.co.uk', 'yahoo.de', 'yahoo.fr'],
    exchangers: ['yahoodns.net'],
  },
  proton: {
    name: 'Proton Mail Bridge',
    imap: { host: '127.0.0.1', port: 1143, tls: 'starttls' },
    smtp: { host: '127.0.0.1', port: 1025, tls: 'starttls' },
    password: {
      rule: 'takes the password that the app Proton Mail Bridge shows, and its exported certificate as `ca`',
      page: 'https://proton.me/support/imap-smtp-and-pop3-setup',
      isAccepted: true,
    },
    savesSent: true,
    domains: ['proton.me', 'protonmail.com', 'pm.me'],
    exchangers: ['protonmail.ch'],
  },
} as const satisfies Record<string, Preset>;

export type PresetId = keyof typeof PRESETS;

export const PRESET_IDS = Object.keys(PRESETS) as [PresetId, ...PresetId[]];

export function presetNamed(id: string): Preset | undefined {
  return Object.hasOwn(PRESETS, id) ? PRESETS[id as PresetId] : undefined;
}

/** The preset whose server this is; servers of this machine are no preset's. */
export function presetOfHost(host: string): PresetId | undefined {
  const wanted = host.toLowerCase();
  return PRESET_IDS.find(
    (id) => id !== 'proton' && [PRESETS[id].imap.host, PRESETS[id].smtp.host].includes(wanted as never),
  );
}

/** The preset with exactly these servers. */
export function presetOfServers(
  imap: Pick<KnownServer, 'host'>,
  smtp?: Pick<KnownServer, 'host'>,
): PresetId | undefined {
  return PRESET_IDS.find((id) => {
    const known: Preset = PRESETS[id];
    return known.imap.host === imap.host && (smtp === undefined || known.smtp.host === smtp.host);
  });
}

/** The preset whose addresses have this domain. */
export function presetOfDomain(domain: string): PresetId | undefined {
  const wanted = domain.toLowerCase();
  return PRESET_IDS.find((id) => (PRESETS[id] as Preset).domains.includes(wanted));
}

/** The preset that receives the mail of a domain, by the name of its mail exchanger. */
export function presetOfExchanger(exchanger: string): PresetId | undefined {
  const name = exchanger.toLowerCase().replace(/\.$/, '');
  const ends = (end: string) => name === end || name.endsWith(`.${end}`);
  return PRESET_IDS.find((id) => (PRESETS[id] as Preset).exchangers.some(ends));
}

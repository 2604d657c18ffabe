import type { Probe } from '../capability.ts';
import { type Finding, ok, warning } from '../domain/finding.ts';
import { type Account, toAccount } from './accounts/account.ts';
import { listAccounts } from './operations/list-accounts.ts';
import type { EmailSettings } from './settings.ts';

const CHECK = 'accounts';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i;

/** The accounts of the file and, while a process owns the home, all others. Connections are examined with the sources. */
export const accountsProbe: Probe<EmailSettings> = {
  check: CHECK,
  async examine({ settings, ask }) {
    if (!settings) return [ok(CHECK, 'Which there are is not known while the configuration is not valid.')];
    const inFile = Object.entries(settings.accounts).map(([id, each]) => toAccount(id, each, 'file'));
    const told = (await ask(listAccounts, {}))?.accounts ?? [];
    const others = told.filter(({ id }) => !Object.hasOwn(settings.accounts, id));
    if (inFile.length + others.length === 0) {
      return [ok(CHECK, 'None is configured; `switchboard email add` adds one.')];
    }
    return [
      ...inFile.flatMap(examineAccount),
      ...others.map(({ id, email, can_send: canSend }) => ok(CHECK, described(id, email, canSend))),
    ];
  },
};

function examineAccount(account: Account): Finding[] {
  const { id, email, imap, smtp } = account;
  const plain = [imap, smtp].filter((server) => server?.tls === false && !LOOPBACK.test(server.host));
  return [
    ok(CHECK, described(id, email, smtp !== undefined)),
    ...plain.map((server) =>
      warning(
        CHECK,
        `${id} sends its password and mail to ${server?.host} without encryption.`,
        `Set tls to true or starttls in accounts.${id} in config.yaml.`,
      ),
    ),
  ];
}

function described(id: string, email: string, canSend: boolean): string {
  return canSend
    ? `${id} (${email}) reads and sends.`
    : `${id} (${email}) only reads: it has no server for sending (\`smtp\`).`;
}

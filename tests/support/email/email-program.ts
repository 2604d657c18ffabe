import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/domain/json.ts';
import { startStdio } from '../mcp/mcp-program.ts';
import { toolClient } from '../mcp/tool-client.ts';
import type { MailServer } from './mail-server.ts';

export const EMAIL_PROGRAM = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

export interface EmailAccount {
  /** User of the mail server. */
  user: string;
  /** Further keys of the account in the configuration. */
  settings?: JsonObject;
  /** Without a server for sending. */
  cannotSend?: boolean;
}

export type EmailAccounts = Readonly<Record<string, EmailAccount>>;

/** The program with accounts on a mail server, and a client of it over MCP. */
export async function startEmailProgram(
  home: string,
  server: MailServer,
  accounts: EmailAccounts,
  { configuration = {}, args = [] }: { configuration?: JsonObject; args?: readonly string[] } = {},
) {
  writeEmailConfig(home, server, accounts, configuration);
  const program = startStdio({ home, main: EMAIL_PROGRAM }, args);
  await program.initialize();
  return { ...program, ...toolClient(program.call) };
}

/** JSON is valid YAML. */
export function writeEmailConfig(home: string, server: MailServer, accounts: EmailAccounts, others: JsonObject): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const entries = Object.entries(accounts).map(([id, each]) => [id, account(server, each)]);
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ ...others, accounts: Object.fromEntries(entries) }));
}

function account(server: MailServer, { user, settings, cannotSend = false }: EmailAccount): JsonObject {
  const { address, password } = server.user(user);
  return {
    email: address,
    imap: { host: server.host, port: server.ports.imaps, tls: true },
    ...(cannotSend ? {} : { smtp: { host: server.host, port: server.ports.smtps, tls: true } }),
    auth: { password },
    ca: server.ca.path,
    ...settings,
  };
}

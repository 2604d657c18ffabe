import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/domain/json.ts';
import { startStdio } from '../mcp/mcp-program.ts';
import type { MailServer } from './mail-server.ts';

export const EMAIL_PROGRAM = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts');

export interface EmailAccount {
  /** User of the mail server. */
  user: string;
  /** Further keys of the account in the configuration. */
  settings?: JsonObject;
}

/** The program with accounts on a mail server, and a client of it over MCP. */
export async function startEmailProgram(
  home: string,
  server: MailServer,
  accounts: Readonly<Record<string, EmailAccount>>,
  { configuration = {}, args = [] }: { configuration?: JsonObject; args?: readonly string[] } = {},
) {
  mkdirSync(home, { recursive: true });
  const entries = Object.entries(accounts).map(([id, { user, settings }]) => [id, account(server, user, settings)]);
  // Valid YAML, too.
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ ...configuration, accounts: Object.fromEntries(entries) }));
  const program = startStdio({ home, main: EMAIL_PROGRAM }, args);
  await program.initialize();

  async function answer(name: string, input: object): Promise<JsonObject> {
    const { result, error } = await program.call('tools/call', { name, arguments: input });
    assert.ok(result, JSON.stringify(error));
    return result as JsonObject;
  }

  return {
    ...program,
    async call(name: string, input: object = {}): Promise<JsonObject> {
      const { isError, structuredContent } = await answer(name, input);
      assert.notEqual(isError, true, JSON.stringify(structuredContent));
      return structuredContent as JsonObject;
    },
    async refusal(name: string, input: object = {}) {
      const { isError, structuredContent } = await answer(name, input);
      assert.equal(isError, true, JSON.stringify(structuredContent));
      return (structuredContent as { error: { code: string; message: string; field?: string; hint?: string } }).error;
    },
    async text(name: string, input: object = {}): Promise<string> {
      const { content } = await answer(name, input);
      return (content as { text: string }[]).map(({ text }) => text).join('\n');
    },
  };
}

function account(server: MailServer, user: string, settings: JsonObject = {}): JsonObject {
  const { address, password } = server.user(user);
  return {
    email: address,
    imap: { host: server.host, port: server.ports.imaps, tls: true },
    smtp: { host: server.host, port: server.ports.smtps, tls: true },
    auth: { password },
    ca: server.ca.path,
    ...settings,
  };
}

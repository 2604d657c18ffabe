import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/domain/json.ts';
import { startHttp } from '../mcp/mcp-program.ts';
import { removeHome, startShim } from '../mcp/shim-program.ts';
import { toolClient } from '../mcp/tool-client.ts';
import { type ProgramResult, runProgram } from '../program.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type EmailAccounts, writeEmailConfig } from './email-program.ts';
import { type MailServer, startMailServer } from './mail-server.ts';
import type { MailServerOptions } from './mail-server-options.ts';
import { sessionOn } from './mail-session.ts';

export interface RestAnswer {
  status: number;
  body: JsonObject;
}

/** What a file of tests ends with. */
type OnEnd = (end: () => Promise<void> | void) => void;

/** A mail server, and the built program with accounts on it: its owner listens on HTTP, other clients attach to it. */
export async function startEmailHome(
  onEnd: OnEnd,
  accounts: EmailAccounts,
  { configuration = {}, options = {} }: { configuration?: JsonObject; options?: MailServerOptions } = {},
) {
  const server = await startMailServer(options);
  onEnd(() => server.stop());
  return openEmailHome(onEnd, server, accounts, configuration);
}

/** The same on a mail server that runs already. */
export async function openEmailHome(
  onEnd: OnEnd,
  server: MailServer,
  accounts: EmailAccounts,
  configuration: JsonObject = {},
) {
  const home = join(temporaryFolder(onEnd), 'home');
  writeEmailConfig(home, server, accounts, configuration);
  let owner = await startHttp({ home });
  onEnd(async () => {
    await owner.stop();
    removeHome(home);
  });

  /** A client on stdio, as an assistant starts it. */
  async function client(...args: string[]) {
    const shim = startShim({ home }, args);
    await shim.initialize();
    onEnd(() => shim.signal('SIGKILL'));
    return { ...shim, rpc: shim.call, ...toolClient(shim.call) };
  }

  async function rest(method: string, path: string, body?: object, token?: string): Promise<RestAnswer> {
    const answer = await fetch(`${owner.base}/api/v1${path}`, {
      method,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as JsonObject };
  }

  const command = (...args: string[]): Promise<ProgramResult> => runProgram(args, { home });

  return {
    home,
    server,
    url: () => owner.url,
    client,
    rest,
    command,
    /** The output of a command as programs read it. */
    async json(...args: string[]): Promise<JsonObject> {
      const { stdout, stderr } = await command(...args, '--json');
      return JSON.parse(stdout || stderr) as JsonObject;
    },
    /** Everything on the server is known to the program. */
    async synced(token?: string): Promise<void> {
      const { status, body } = await rest('POST', '/accounts/sync', {}, token);
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok(!JSON.stringify(body).includes('"problem"'), JSON.stringify(body));
    },
    /** Another mail program of this user. */
    imap: (context: { after(end: () => Promise<void>): void }, user: string) => sessionOn(context, server, { user }),
    configure: (others: JsonObject, changed = accounts) => writeEmailConfig(home, server, changed, others),
    async restart(): Promise<void> {
      const port = Number(new URL(owner.base).port);
      await owner.stop();
      owner = await startHttp({ home, port });
    },
  };
}

export type EmailHome = Awaited<ReturnType<typeof openEmailHome>>;
export type EmailClient = Awaited<ReturnType<EmailHome['client']>>;

export interface SampleEmail {
  from?: string;
  to?: string;
  subject?: string;
  id?: string;
  body?: string;
  /** Further lines of the header. */
  header?: readonly string[];
}

let count = 0;

/** An email as it is on the server. */
export function emailText({ from, to, subject = 'Hello', id, body = 'Text', header = [] }: SampleEmail = {}): string {
  const head = [
    `From: ${from ?? 'Zoe <zoe@elsewhere.test>'}`,
    `To: ${to ?? 'alice@example.test'}`,
    `Subject: ${subject}`,
    `Message-ID: <${id ?? `sample-${++count}@elsewhere.test`}>`,
    ...header,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}\r\n`;
}

/** A field of an email's header, unfolded. */
export function headerField(raw: string, name: string): string | undefined {
  const [head = ''] = raw.split(/\r?\n\r?\n/, 1);
  const found = new RegExp(`^${name}: (.*(?:\\r?\\n[ \\t].*)*)`, 'im').exec(head);
  return found?.[1]?.replaceAll(/\r?\n[ \t]+/g, ' ');
}

/** The emails of a list in an answer. */
export function emailsOf({ emails }: JsonObject): readonly (JsonObject & { message_id: string; subject: string })[] {
  return emails as unknown as (JsonObject & { message_id: string; subject: string })[];
}

export function subjectsOf(answer: JsonObject): readonly string[] {
  return emailsOf(answer).map(({ subject }) => subject);
}

/** Id of the only email that a search finds. */
export async function idOf(client: Pick<EmailClient, 'call'>, query: string): Promise<string> {
  const [first, ...others] = emailsOf(await client.call('search_emails', { query }));
  assert.ok(first && others.length === 0, `${query} finds ${others.length + (first ? 1 : 0)}`);
  return first.message_id;
}

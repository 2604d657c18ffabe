// A client for the official suite: the SDK's, with our OAuth. Its last argument is the address of the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { systemClock } from '../../src/lib/clock.ts';
import { createServerOAuth } from '../../src/servers/oauth/server-oauth.ts';
import { silentLog } from '../support/operation-context.ts';
import { secretsIn } from '../support/secrets/open-secrets.ts';
import { loginInBrowser } from '../support/servers/oauth-world.ts';

const MAX_LOGINS = 3;
const home = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
process.on('exit', () => rmSync(home, { recursive: true, force: true }));

const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}') as Record<string, string | undefined>;
const secrets = secretsIn(home);
if (context.client_secret) await secrets.set('server/tested', 'oauth_client_secret', context.client_secret);
const url = process.argv.at(-1) ?? '';
// A client with a metadata document is one that the user has configured: its address is the id.
const document = 'https://conformance-test.local/client-metadata.json';
const id = process.env.MCP_CONFORMANCE_SCENARIO === 'auth/basic-cimd' ? document : context.client_id;
const clientId = id === undefined ? {} : { client_id: id };
const server = { id: 'tested', url, auth: { type: 'oauth' as const, ...clientId } };
const oauth = createServerOAuth({ secrets, clock: systemClock, log: silentLog });

let logins = 0;
async function authorized(address: string | URL, init: RequestInit = {}): Promise<Response> {
  const used = await oauth.authorization(server);
  const headers = new Headers(init.headers);
  if (used !== undefined) headers.set('authorization', used);
  const response = await fetch(address, { ...init, headers });
  if (response.status !== 401 && response.status !== 403) return response;
  const challenge = response.headers.get('www-authenticate') ?? undefined;
  if ((await oauth.onUnauthorized(server, challenge, used)) === 'login') {
    if (logins++ === MAX_LOGINS) return response;
    await loginInBrowser(oauth.login(server, { signal: AbortSignal.timeout(20_000) }));
  }
  return authorized(address, init);
}

const client = new Client({ name: 'switchboard', version: '0.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: authorized }));
await client.listTools();
await client.callTool({ name: 'test-tool', arguments: {} });
await client.close();

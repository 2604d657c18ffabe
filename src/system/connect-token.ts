import { randomBytes } from 'node:crypto';
import type { Assistant } from '../domain/assistant.ts';
import { AppError } from '../domain/errors.ts';
import { sha256Hex } from '../lib/sha256.ts';
import type { DaemonPort } from './daemon-port.ts';

/** Placeholder in a printed entry. */
export const PRINTED_TOKEN = '<token>';

/** The beginning of the names of its tokens; a dot and something random follow, so that a new one can be issued first. */
function namesOf(assistant: Assistant, entry: string): string {
  const name = entry === 'switchboard' ? `connect-${assistant}` : `connect-${assistant}-${entry}`;
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 9)}-${sha256Hex(name).slice(0, 8)}`;
}

/** Names of tokens have 64 characters at most. */
const LONGEST = 55;

/** Reading, writing and sending, but not what changes Switchboard itself. */
export function scopesFor(only: readonly string[], served: readonly string[]): readonly string[] {
  const names = only.length > 0 ? only : [...served, 'system'];
  return names.flatMap((name) =>
    name === 'system' ? ['system:read'] : ['read', 'write', 'send'].map((right) => `${name}:${right}`),
  );
}

/** The address of the MCP endpoint that serves these capabilities. */
export async function endpointOf(daemon: DaemonPort, only: readonly string[]): Promise<string> {
  const { url } = await daemon.status();
  if (url === undefined) {
    throw new AppError('CONFLICT', 'Nothing serves HTTP for this home.', {
      field: 'http',
      hint: 'Run `switchboard service install` or `switchboard serve`, and then this again.',
    });
  }
  return `${url.replace(/\/+$/, '')}/mcp${only.length === 0 ? '' : `/${only.join(',')}`}`;
}

/** Issues a token for an entry, and hands it to `use`. Its former tokens are revoked then; or the new one, if `use` fails. */
export async function withNewToken<T>(
  daemon: DaemonPort,
  entry: { assistant: Assistant; name: string },
  rights: { scopes: readonly string[] } & object,
  signal: AbortSignal,
  use: (token: string) => Promise<T>,
): Promise<T & { token: string; isFirstToken: boolean }> {
  const before = await tokensOf(daemon, signal);
  const name = `${namesOf(entry.assistant, entry.name)}.${randomBytes(4).toString('hex')}`;
  const { token } = await daemon.call('token add', { ...rights, name }, signal);
  try {
    const used = await use(String(token));
    await revoke(daemon, formerOf(before, entry), signal);
    return { ...used, token: name, isFirstToken: before.length === 0 };
  } catch (error) {
    await daemon.call('token remove', { name }, signal).catch(() => {});
    throw error;
  }
}

/** Revokes the tokens of an entry; returns how many there were. */
export async function revokeTokens(
  daemon: DaemonPort,
  entry: { assistant: Assistant; name: string },
  signal: AbortSignal,
): Promise<number> {
  return revoke(daemon, formerOf(await tokensOf(daemon, signal), entry), signal);
}

interface IssuedToken {
  name: string;
  origin: string;
}

async function tokensOf(daemon: DaemonPort, signal: AbortSignal): Promise<IssuedToken[]> {
  const { tokens } = await daemon.call('token list', {}, signal);
  return tokens as unknown as IssuedToken[];
}

function formerOf(
  tokens: readonly IssuedToken[],
  { assistant, name }: { assistant: Assistant; name: string },
): string[] {
  const own = namesOf(assistant, name);
  const isOwn = (token: IssuedToken) => token.origin === 'store' && token.name.replace(/\.[0-9a-f]{8}$/, '') === own;
  return tokens.filter((token) => isOwn(token) && token.name !== own).map((token) => token.name);
}

async function revoke(daemon: DaemonPort, names: readonly string[], signal: AbortSignal): Promise<number> {
  for (const name of names) await daemon.call('token remove', { name }, signal);
  return names.length;
}

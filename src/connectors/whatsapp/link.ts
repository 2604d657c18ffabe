import { randomBytes } from 'node:crypto';
import type { AuthenticationCreds } from 'baileys';
import type { Host } from '../connector.ts';
import { decodeCredentials, encodeCredentials } from './auth-state.ts';
import type { Library } from './library.ts';

/** The link to an account: its keys at the time of linking, and the key of everything that is stored since then. */
export interface Link {
  creds: AuthenticationCreds;
  key: Buffer;
}

const LINK = 'link';

export async function readLink(library: Library, { secrets }: Pick<Host, 'secrets'>): Promise<Link | undefined> {
  const text = await secrets.get(LINK);
  if (text === undefined) return undefined;
  const { key, creds }: { key: string; creds: string } = JSON.parse(text);
  return { key: Buffer.from(key, 'base64'), creds: decodeCredentials(library, creds) };
}

export async function saveLink(
  library: Library,
  { secrets }: Pick<Host, 'secrets'>,
  creds: AuthenticationCreds,
): Promise<void> {
  const key = randomBytes(32).toString('base64');
  await secrets.set(LINK, JSON.stringify({ key, creds: encodeCredentials(library, creds) }));
}

export async function forgetLink({ secrets }: Pick<Host, 'secrets'>): Promise<void> {
  await secrets.delete(LINK);
}

import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { type BearerChallenge, validScopes } from './challenge.ts';
import { toOAuthFailure } from './oauth-failure.ts';
import type { OAuthRequests } from './requests.ts';

/** Where a person logs in for a server, and what for. */
export interface Discovered {
  authority: AuthorizationServer;
  /** The identifier of the server at its authorization server. */
  resource: string;
  scopes?: readonly string[];
}

const MAX_LIST = 200;
const list = () => z.array(z.string()).max(MAX_LIST).optional().catch(undefined);

const ResourceMetadata = z.object({
  resource: z.string(),
  authorization_servers: z.array(z.string()).max(MAX_LIST).optional(),
  scopes_supported: list(),
});

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
] as const;

const AuthorityMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string(),
  registration_endpoint: z.string().optional(),
  revocation_endpoint: z.string().optional(),
  device_authorization_endpoint: z.string().optional(),
  code_challenge_methods_supported: z.array(z.string()).max(MAX_LIST).optional(),
  token_endpoint_auth_methods_supported: list(),
  scopes_supported: list(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});

interface Wanted {
  url: string;
  challenge: BearerChallenge | undefined;
  /** The authorization server of the login before, which is kept where the server still names it. */
  issuer: string | undefined;
}

export async function discover(wanted: Wanted, requests: OAuthRequests, signal: AbortSignal): Promise<Discovered> {
  const url = new URL(wanted.url);
  const { origin, host } = url;
  const metadata = await resourceMetadata(wanted, requests, signal).catch((error: unknown) => {
    throw toOAuthFailure(error, host);
  });
  // Servers of the first revision with authorization are their own authorization server, and have no such document.
  if (!metadata) return { authority: await authorityAt(origin, requests, signal), resource: canonical(url) };
  const issuers = (metadata.authorization_servers ?? []).filter(requests.allows);
  const issuer = issuers.find((each) => each === wanted.issuer) ?? issuers[0];
  if (issuer === undefined) throw unusable(host, 'names no authorization server that can be used');
  return {
    authority: await authorityAt(issuer, requests, signal),
    resource: metadata.resource,
    ...(metadata.scopes_supported ? { scopes: validScopes(metadata.scopes_supported) } : {}),
  };
}

async function resourceMetadata({ url, challenge }: Wanted, requests: OAuthRequests, signal: AbortSignal) {
  const { origin, pathname, host } = new URL(url);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const named = challenge?.resourceMetadata;
  const addresses = [
    ...(named !== undefined && requests.allows(named) ? [named] : []),
    ...(pathname === '/' ? [] : [wellKnown + pathname]),
    wellKnown,
  ];
  for (const address of new Set(addresses)) {
    const found = ResourceMetadata.safeParse(await requests.document(address, signal)).data;
    if (!found) continue;
    if (!covers(found.resource, url)) throw unusable(host, 'says that its login is for another server');
    return found;
  }
  return undefined;
}

/** Whether an identifier has the origin of the address and the beginning of its path. */
function covers(resource: string, url: string): boolean {
  if (!URL.canParse(resource)) return false;
  const [own, other] = [new URL(url), new URL(resource)];
  const path = other.pathname.replace(/\/$/, '');
  return (
    own.origin === other.origin &&
    other.hash === '' &&
    (own.pathname === path || own.pathname.startsWith(`${path}/`)) &&
    (other.search === '' || other.search === own.search)
  );
}

/** The metadata of an authorization server, which must be its own. */
export async function authorityAt(
  issuer: string,
  requests: OAuthRequests,
  signal: AbortSignal,
): Promise<AuthorizationServer> {
  const { host } = new URL(issuer);
  let isOther = false;
  for (const address of metadataAddresses(issuer)) {
    const document = await requests.document(address, signal).catch((error: unknown) => {
      throw toOAuthFailure(error, host);
    });
    const found = AuthorityMetadata.safeParse(document).data;
    if (!found) continue;
    if (isSameUrl(found.issuer, issuer)) return usable(found, host, requests);
    isOther = true;
  }
  throw unusable(host, isOther ? 'publishes the metadata of another issuer' : 'publishes no metadata for a login');
}

/** RFC 8414 and OpenID Connect Discovery, with the path of the issuer inserted and appended. */
function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const inserted = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
  ];
  return path === '' ? inserted : [...inserted, `${origin}${path}/.well-known/openid-configuration`];
}

function usable(found: z.output<typeof AuthorityMetadata>, host: string, requests: OAuthRequests): AuthorizationServer {
  const addresses = ENDPOINTS.flatMap((name) => found[name] ?? []);
  if (!addresses.every(requests.allows)) throw unusable(host, 'names an address that is not secure');
  const { code_challenge_methods_supported: methods } = found;
  if (methods && !methods.includes('S256')) throw unusable(host, 'does not support PKCE with S256');
  return Object.fromEntries(
    Object.entries(found).filter(([, value]) => value !== undefined),
  ) as unknown as AuthorizationServer;
}

function isSameUrl(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).href === new URL(other).href;
}

/** Without the query, which may hold a key. */
function canonical({ origin, pathname }: URL): string {
  return pathname === '/' ? origin : origin + pathname;
}

function unusable(host: string, what: string): AppError {
  return new AppError('SERVICE_UNAVAILABLE', `${host} ${what}.`, {
    hint: 'Ask those who run the server; a login is not possible like this.',
  });
}

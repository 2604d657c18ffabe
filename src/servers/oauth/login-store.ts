import { createHash } from 'node:crypto';
import { isRecord } from '../../lib/is-record.ts';
import type { OAuthSecrets, OAuthServer } from './oauth-server.ts';

/** Tokens of a server, with all that they are bound to. */
export interface StoredLogin {
  /** The address of the server that they were requested for. They are never sent to another one. */
  url: string;
  /** The authorization server that gave them, and the only one that gets the refresh token. */
  issuer: string;
  resource: string;
  scopes: readonly string[];
  /** Scopes that the server has asked for since. */
  wanted: readonly string[];
  /** Times in milliseconds since 1970. Without `expiresAt` the token is used until it is refused. */
  obtainedAt: number;
  expiresAt?: number;
  /** The authorization server no longer accepts the refresh token. */
  isEnded: boolean;
  accessToken?: string;
  refreshToken?: string;
}

/** The client that an authorization server knows us by. */
export interface RegisteredClient {
  issuer: string;
  clientId: string;
  redirectUri: string;
  clientSecret?: string;
  secretExpiresAt?: number;
  /** How the client authenticates, as it was registered. */
  method?: string;
}

/** Logins of servers in the secrets store, a group for each server. */
export interface LoginStore {
  /** The login for this address of the server; undefined if there is none, or only one for another address. */
  get(server: OAuthServer): Promise<StoredLogin | undefined>;
  /** After a refresh, or when the server has asked for more scopes. */
  update(server: OAuthServer, login: StoredLogin): Promise<void>;
  /** After a person has logged in: nothing of a login before is kept. */
  replace(server: OAuthServer, login: StoredLogin): Promise<void>;
  client(id: string, issuer: string): Promise<RegisteredClient | undefined>;
  setClient(id: string, client: RegisteredClient): Promise<void>;
  deleteClient(id: string, issuer: string): Promise<void>;
  /** The secret of the client that the user has configured. */
  configuredSecret(id: string): Promise<string | undefined>;
  delete(id: string): Promise<void>;
}

/**
 * Tokens are separate secrets, because the store masks each value as a whole. `login` says what they are bound to. It is
 * written last and deleted first, so that tokens never appear to belong to another authorization server, whenever the process ends.
 */
export function createLoginStore(secrets: OAuthSecrets): LoginStore {
  /** What is stored, by id of the server. This process is the only one that writes it. */
  const cache = new Map<string, StoredLogin>();
  /** Counts changes: what was read before one of them is not cached. */
  let changes = 0;

  async function read(id: string): Promise<StoredLogin | undefined> {
    const group = groupOf(id);
    const bound = parseBinding(await secrets.get(group, 'login'));
    if (!bound) return undefined;
    const accessToken = await secrets.get(group, 'access_token');
    const refreshToken = await secrets.get(group, 'refresh_token');
    return {
      ...bound,
      ...(accessToken === undefined ? {} : { accessToken }),
      ...(refreshToken === undefined ? {} : { refreshToken }),
    };
  }

  async function write(id: string, login: StoredLogin): Promise<void> {
    const group = groupOf(id);
    changes += 1;
    const { accessToken, refreshToken, ...bound } = login;
    // The refresh token first: the one before may be invalid already.
    if (refreshToken === undefined) await secrets.delete(group, 'refresh_token');
    else await secrets.set(group, 'refresh_token', refreshToken);
    if (accessToken === undefined) await secrets.delete(group, 'access_token');
    else await secrets.set(group, 'access_token', accessToken);
    await secrets.set(group, 'login', JSON.stringify(bound));
    changes += 1;
    cache.set(id, login);
  }

  return {
    async get({ id, url }) {
      const before = changes;
      const login = cache.get(id) ?? (await read(id));
      if (login && changes === before) cache.set(id, login);
      return login?.url === url ? login : undefined;
    },
    update: ({ id }, login) => write(id, login),
    async replace({ id }, login) {
      cache.delete(id);
      await secrets.delete(groupOf(id), 'login');
      await write(id, login);
    },
    async client(id, issuer) {
      const [client, secret] = clientNames(issuer);
      const found = parseClient(await secrets.get(groupOf(id), client));
      if (found?.issuer !== issuer) return undefined;
      const clientSecret = await secrets.get(groupOf(id), secret);
      return { ...found, ...(clientSecret === undefined ? {} : { clientSecret }) };
    },
    async setClient(id, { clientSecret, ...registered }) {
      const group = groupOf(id);
      const [client, secret] = clientNames(registered.issuer);
      await secrets.delete(group, client);
      if (clientSecret === undefined) await secrets.delete(group, secret);
      else await secrets.set(group, secret, clientSecret);
      await secrets.set(group, client, JSON.stringify(registered));
    },
    async deleteClient(id, issuer) {
      for (const name of clientNames(issuer)) await secrets.delete(groupOf(id), name);
    },
    configuredSecret: (id) => secrets.get(`server/${id}`, 'oauth_client_secret'),
    async delete(id) {
      changes += 1;
      cache.delete(id);
      await secrets.deleteGroup(groupOf(id));
    },
  };
}

function groupOf(id: string): string {
  return `oauth/${id}`;
}

/** An authorization server never gets the client of another one. */
function clientNames(issuer: string): [client: string, secret: string] {
  const key = createHash('sha256').update(issuer).digest('hex').slice(0, 16);
  return [`client-${key}`, `client_secret-${key}`];
}

type Binding = Omit<StoredLogin, 'accessToken' | 'refreshToken'>;

/** It is our own text, but of another version of the program perhaps. What cannot be read is no login. */
function parseBinding(text: string | undefined): Binding | undefined {
  const value = parse(text);
  const isBinding =
    ['url', 'issuer', 'resource'].every((name) => typeof value?.[name] === 'string') &&
    ['scopes', 'wanted'].every((name) => Array.isArray(value?.[name])) &&
    ['obtainedAt'].every((name) => typeof value?.[name] === 'number');
  return isBinding ? (value as unknown as Binding) : undefined;
}

function parseClient(text: string | undefined): RegisteredClient | undefined {
  const value = parse(text);
  const isClient = ['issuer', 'clientId', 'redirectUri'].every((name) => typeof value?.[name] === 'string');
  return isClient ? (value as unknown as RegisteredClient) : undefined;
}

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

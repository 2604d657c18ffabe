import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the authority does wrong. `refuse` is an error code of the protocol. */
export type OAuthFault =
  | { kind: 'status'; status: number }
  | { kind: 'refuse'; error: string }
  | { kind: 'text'; text: string; type?: string }
  | { kind: 'hang' };

type Endpoint = 'authorize' | 'token' | 'device' | 'introspect' | 'discovery';

interface AuthorityOptions {
  clientId?: string;
  clientSecret?: string;
  /** The user who signs in. */
  user?: string;
  /** Whether each refresh gives a new refresh token and invalidates the one before. Default true. */
  rotates?: boolean;
  /** Seconds. Default 3600. */
  expiresIn?: number;
  /** Seconds. */
  deviceInterval?: number;
}

export interface OAuthAuthority {
  issuer: string;
  endpoints: { authorization: string; token: string; device: string };
  introspectionUrl: string;
  /** Requests to the token endpoint, oldest first. */
  readonly tokenRequests: readonly URLSearchParams[];
  /** Every token that was given out. */
  readonly issued: readonly string[];
  /** The next answer of an endpoint, or each until `mend`. */
  fail(endpoint: Endpoint, fault: OAuthFault, how?: 'once' | 'always'): void;
  mend(endpoint: Endpoint): void;
  /** The user refuses in the browser. */
  refuseConsent(isRefused: boolean): void;
  /** The user types the code, and accepts or refuses. */
  decideDevice(code: string, decision: 'accept' | 'refuse' | 'expire'): void;
  /** Ends a token: an access token at once, or a sign-in by its refresh token. */
  revoke(token: string): void;
  close(): Promise<void>;
}

interface Grant {
  challenge: string;
  redirectUri: string;
}

interface Device {
  userCode: string;
  decision: 'pending' | 'accept' | 'refuse' | 'expire';
}

/** An OAuth authority on loopback, whose page for signing in accepts at once. */
export async function startOAuthAuthority(options: AuthorityOptions = {}): Promise<OAuthAuthority> {
  const { clientId = 'client', clientSecret, user = 'alice@example.test', rotates = true, expiresIn = 3600 } = options;
  const faults = new Map<Endpoint, { fault: OAuthFault; how: 'once' | 'always' }>();
  const codes = new Map<string, Grant>();
  const devices = new Map<string, Device>();
  const refreshTokens = new Set<string>();
  const accessTokens = new Set<string>();
  const tokenRequests: URLSearchParams[] = [];
  const issued: string[] = [];
  let isRefused = false;

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const endpoints = { authorization: `${issuer}/authorize`, token: `${issuer}/token`, device: `${issuer}/device` };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    const endpoint = endpointOf(url.pathname);
    if (!endpoint) return void response.writeHead(404).end();
    const body = await formOf(request);
    if (endpoint === 'token') tokenRequests.push(body);
    const failing = faults.get(endpoint);
    if (failing?.how === 'once') faults.delete(endpoint);
    if (failing) return misbehave(response, failing.fault);
    if (endpoint === 'discovery') return discovery(url.pathname, response);
    if (endpoint === 'authorize') return authorize(url.searchParams, response);
    if (endpoint === 'introspect') return introspect(body, response);
    if (!isClient(body)) return json(response, 401, { error: 'invalid_client', error_description: 'Forged\ntext' });
    if (endpoint === 'device') return device(response);
    return token(body, response);
  }

  function discovery(path: string, response: ServerResponse): void {
    // Only the metadata of RFC 8414.
    if (!path.endsWith('oauth-authorization-server')) return json(response, 404, {});
    json(response, 200, {
      issuer,
      authorization_endpoint: endpoints.authorization,
      token_endpoint: endpoints.token,
      device_authorization_endpoint: endpoints.device,
    });
  }

  function authorize(asked: URLSearchParams, response: ServerResponse): void {
    const back = new URL(asked.get('redirect_uri') ?? issuer);
    back.searchParams.set('state', asked.get('state') ?? '');
    if (isRefused) back.searchParams.set('error', 'access_denied');
    else {
      const code = randomUUID();
      codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirectUri: asked.get('redirect_uri') ?? '' });
      back.searchParams.set('code', code);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  function device(response: ServerResponse): void {
    const [deviceCode, userCode] = [randomUUID(), randomUUID().slice(0, 8).toUpperCase()];
    devices.set(deviceCode, { userCode, decision: 'pending' });
    const { deviceInterval: interval } = options;
    json(response, 200, {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${issuer}/type-it-here`,
      expires_in: 900,
      ...(interval === undefined ? {} : { interval }),
    });
  }

  function token(body: URLSearchParams, response: ServerResponse): void {
    const grant = body.get('grant_type');
    const refusal =
      grant === 'authorization_code'
        ? codeRefusal(body)
        : grant === 'refresh_token'
          ? refreshRefusal(body)
          : deviceRefusal(body.get('device_code') ?? '');
    if (refusal !== undefined) return json(response, 400, { error: refusal, error_description: 'Forged\ntext' });
    json(response, 200, issue(grant !== 'refresh_token' || rotates));
  }

  function codeRefusal(body: URLSearchParams): string | undefined {
    const code = body.get('code') ?? '';
    const granted = codes.get(code);
    codes.delete(code);
    const proof = createHash('sha256')
      .update(body.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight = granted?.challenge === proof && granted.redirectUri === body.get('redirect_uri');
    return isRight ? undefined : 'invalid_grant';
  }

  function refreshRefusal(body: URLSearchParams): string | undefined {
    const used = body.get('refresh_token') ?? '';
    const isKnown = rotates ? refreshTokens.delete(used) : refreshTokens.has(used);
    return isKnown ? undefined : 'invalid_grant';
  }

  function deviceRefusal(code: string): string | undefined {
    const decision = devices.get(code)?.decision;
    if (decision === 'accept') return undefined;
    return { pending: 'authorization_pending', refuse: 'access_denied', expire: 'expired_token' }[decision ?? 'expire'];
  }

  function issue(withRefreshToken: boolean) {
    const [access, refresh] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`];
    accessTokens.add(access);
    issued.push(access);
    if (withRefreshToken) {
      refreshTokens.add(refresh);
      issued.push(refresh);
    }
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: expiresIn,
      // Identity tokens are not asked for, and not checked.
      id_token: 'not.a.token',
      ...(withRefreshToken ? { refresh_token: refresh } : {}),
    };
  }

  function introspect(body: URLSearchParams, response: ServerResponse): void {
    const isActive = accessTokens.has(body.get('token') ?? '');
    json(response, 200, isActive ? { active: true, username: user } : { active: false });
  }

  function isClient(body: URLSearchParams): boolean {
    return body.get('client_id') === clientId && (body.get('client_secret') ?? undefined) === clientSecret;
  }

  return {
    issuer,
    endpoints,
    introspectionUrl: `${issuer}/introspect`,
    tokenRequests,
    issued,
    fail: (endpoint, fault, how = 'once') => void faults.set(endpoint, { fault, how }),
    mend: (endpoint) => void faults.delete(endpoint),
    refuseConsent(refused) {
      isRefused = refused;
    },
    decideDevice(code, decision) {
      for (const each of devices.values()) if (each.userCode === code) each.decision = decision;
    },
    revoke(given) {
      accessTokens.delete(given);
      refreshTokens.delete(given);
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function endpointOf(path: string): Endpoint | undefined {
  if (path.startsWith('/.well-known/')) return 'discovery';
  return (['authorize', 'token', 'device', 'introspect'] as const).find((name) => path === `/${name}`);
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return new URLSearchParams(text);
}

function misbehave(response: ServerResponse, fault: OAuthFault): void {
  // It is ended by `close`, or by the client.
  if (fault.kind === 'hang') return;
  if (fault.kind === 'refuse') return json(response, 400, { error: fault.error, error_description: 'Forged\ntext' });
  if (fault.kind === 'status') return void response.writeHead(fault.status).end('<h1>Out of order</h1>');
  response.writeHead(200, { 'content-type': fault.type ?? 'application/json' }).end(fault.text);
}

function json(response: ServerResponse, status: number, value: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from 'oauth4webapi';
import { listenForRedirect, RedirectFailure } from '../../../lib/redirect-listener.ts';
import { isSecureUrl } from '../../../lib/secure-url.ts';
import { MailError, type MailOAuth, type OAuthClient, type OAuthTokens } from '../../mail-connector.ts';
import { type Authority, openAuthority, requestOptions, withRefreshToken } from './authority.ts';
import { toMailError } from './oauth-errors.ts';
import { toTokens } from './token-response.ts';

const TIMEOUT_MS = 10 * 60_000;

export const signInByBrowser: MailOAuth['signInByBrowser'] = async (given, { signal }) => {
  const authority = await openAuthority(given, signal);
  const page = authority.server.authorization_endpoint;
  if (page === undefined || !isSecureUrl(page)) {
    throw new MailError('rejected', `${authority.host} has no page for signing in with a browser.`);
  }
  const state = generateRandomState();
  const verifier = generateRandomCodeVerifier();
  const listener = await listenForRedirect({
    redirectUri: given.redirectUri,
    state,
    signal,
    timeoutMs: TIMEOUT_MS,
  }).catch((error: unknown) => {
    throw ofRedirect(error, given.redirectUri);
  });
  const { redirectUri } = listener;
  const url = await pageUrl(page, given, { state, verifier, redirectUri });
  const tokens = listener.answer.then(
    (answer) => exchange(authority, answer, { state, verifier, redirectUri, signal }),
    (error: unknown) => {
      throw ofRedirect(error, redirectUri);
    },
  );
  // The caller may never wait for it.
  tokens.catch(() => {});
  return { url, tokens };
};

function ofRedirect(error: unknown, redirectUri: string): unknown {
  if (!(error instanceof RedirectFailure)) return error;
  if (error.reason === 'timeout') return new MailError('rejected', 'The sign-in was not completed in time.');
  if (error.reason === 'cancelled') return new MailError('rejected', 'The sign-in was cancelled.');
  const port = Number(new URL(redirectUri).port);
  const text = `Port ${port} of this machine, which redirect_uri names, cannot be used.`;
  return new MailError('rejected', text, error.cause);
}

interface Request {
  state: string;
  verifier: string;
  redirectUri: string;
}

async function pageUrl(page: string, client: OAuthClient, { state, verifier, redirectUri }: Request): Promise<string> {
  const url = new URL(page);
  const parameters = {
    ...client.parameters,
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: client.scopes.join(' '),
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value);
  return url.href;
}

async function exchange(
  { server, client, auth, host, knowsIssuer }: Authority,
  answer: URLSearchParams,
  { state, verifier, redirectUri, signal }: Request & { signal: AbortSignal },
): Promise<OAuthTokens> {
  try {
    if (!knowsIssuer) answer.delete('iss');
    const checked = validateAuthResponse(server, client, answer, state);
    const options = requestOptions(server.token_endpoint, signal);
    const response = await authorizationCodeGrantRequest(server, client, auth, checked, redirectUri, verifier, options);
    return withRefreshToken(toTokens(await processAuthorizationCodeResponse(server, client, response)), host);
  } catch (error) {
    throw toMailError(error, host);
  }
}

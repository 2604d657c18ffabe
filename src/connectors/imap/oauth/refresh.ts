import { processRefreshTokenResponse, refreshTokenGrantRequest } from 'oauth4webapi';
import type { MailOAuth } from '../../mail-connector.ts';
import { openAuthority, requestOptions } from './authority.ts';
import { toMailError } from './oauth-errors.ts';
import { toTokens } from './token-response.ts';

export const refresh: MailOAuth['refresh'] = async (given, refreshToken, { signal }) => {
  const { server, client, auth, host } = await openAuthority(given, signal);
  try {
    const options = requestOptions(server.token_endpoint, signal);
    const response = await refreshTokenGrantRequest(server, client, auth, refreshToken, options);
    return toTokens(await processRefreshTokenResponse(server, client, response));
  } catch (error) {
    throw toMailError(error, host);
  }
};

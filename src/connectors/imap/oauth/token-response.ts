import type { TokenEndpointResponse } from 'oauth4webapi';
import type { OAuthTokens } from '../../mail-connector.ts';

export function toTokens(response: TokenEndpointResponse, now = Date.now()): OAuthTokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: expiresIn } = response;
  return {
    accessToken,
    ...(refreshToken === undefined || refreshToken === '' ? {} : { refreshToken }),
    ...(expiresIn === undefined ? {} : { expiresAt: now + expiresIn * 1_000 }),
  };
}

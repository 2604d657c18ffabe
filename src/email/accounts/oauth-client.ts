import { MailError, type OAuthClient } from '../../connectors/mail-connector.ts';
import type { OAuthSettings } from '../settings.ts';
import { type Account, presetOf } from './account.ts';

interface Authority extends Pick<OAuthClient, 'parameters' | 'redirectUri' | 'scopes'> {
  issuer?: string;
  authorization: string;
  token: string;
  /** Missing where codes for devices do not give access to mail. */
  device?: string;
}

const LOOPBACK = 'http://127.0.0.1/';

const AUTHORITIES: Readonly<Record<NonNullable<OAuthSettings['provider']>, Authority>> = {
  google: {
    issuer: 'https://accounts.google.com',
    authorization: 'https://accounts.google.com/o/oauth2/v2/auth',
    token: 'https://oauth2.googleapis.com/token',
    scopes: ['https://mail.google.com/'],
    // Without them a second sign-in gets no refresh token.
    parameters: { access_type: 'offline', prompt: 'consent' },
    redirectUri: LOOPBACK,
  },
  microsoft: {
    authorization: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    device: 'https://login.microsoftonline.com/common/oauth2/v2.0/devicecode',
    scopes: [
      'https://outlook.office.com/IMAP.AccessAsUser.All',
      'https://outlook.office.com/SMTP.Send',
      'offline_access',
    ],
    parameters: { prompt: 'select_account' },
    // Of the addresses of this machine, only this one can be registered without editing the manifest, and for any port.
    redirectUri: 'http://localhost',
  },
};

/** The client of an account's settings. Throws MailError where they are incomplete. */
export function oauthClientOf(account: Account, clientSecret: string | undefined): OAuthClient {
  const { oauth } = account.settings.auth;
  if (!oauth) throw new MailError('rejected', `Account ${account.id} does not use OAuth.`);
  const provider = oauth.provider ?? presetOf(account)?.oauth;
  const known = isOwnAuthority(oauth) || provider === undefined ? undefined : AUTHORITIES[provider];
  return {
    ...(known?.parameters ? { parameters: loginHint(known.parameters, account) } : {}),
    authority: known ?? ownAuthority(oauth, account.id),
    clientId: oauth.client_id,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    scopes: oauth.scopes ?? known?.scopes ?? [],
    redirectUri: oauth.redirect_uri ?? known?.redirectUri ?? LOOPBACK,
  };
}

/** The page in the browser proposes the right user. */
function loginHint(parameters: Readonly<Record<string, string>>, { email, settings: { auth } }: Account) {
  return { ...parameters, login_hint: auth.user ?? email };
}

function isOwnAuthority({ provider, issuer, token_endpoint: token }: OAuthSettings): boolean {
  return provider === undefined && (issuer !== undefined || token !== undefined);
}

function ownAuthority(oauth: OAuthSettings, id: string): OAuthClient['authority'] {
  const { issuer, token_endpoint: token, authorization_endpoint: authorization, device_endpoint: device } = oauth;
  if (token !== undefined) {
    return {
      token,
      ...(authorization === undefined ? {} : { authorization }),
      ...(device === undefined ? {} : { device }),
    };
  }
  if (issuer !== undefined) return { issuer };
  throw new MailError('rejected', `accounts.${id}.auth.oauth needs provider, issuer or token_endpoint.`);
}

import type { SMTPConnectionCustomAuthHandler } from 'nodemailer/lib/smtp-connection';

type Context = Parameters<SMTPConnectionCustomAuthHandler>[0];

/** Signs in by an access token: with XOAUTH2 where the server names it, else with OAUTHBEARER (RFC 7628). */
export function signInByToken(
  { user, accessToken }: { user: string; accessToken: string },
  server: { host: string; port: number },
): (context: Context) => Promise<void> {
  return async ({ authMethods, sendCommand }) => {
    if (/[\0-\x1f\x7f]/.test(`${user}${accessToken}`)) throw new Error('a control character in user or access token');
    const isXoauth2 = authMethods.includes('XOAUTH2');
    const [mechanism, message] = isXoauth2
      ? ['XOAUTH2', `user=${user}\x01auth=Bearer ${accessToken}\x01\x01`]
      : ['OAUTHBEARER', bearerMessage(user, accessToken, server)];
    let reply = await sendCommand(`AUTH ${mechanism} ${Buffer.from(message).toString('base64')}`);
    // The server explains the failure in a challenge; the client answers it before it gets the reply.
    if (reply.status === 334) reply = await sendCommand(isXoauth2 ? '' : 'AQ==');
    if (reply.status !== 235) throw new Error('the access token was not accepted');
  };
}

function bearerMessage(user: string, token: string, { host, port }: { host: string; port: number }): string {
  const name = user.replaceAll('=', '=3D').replaceAll(',', '=2C');
  return `n,a=${name},\x01host=${host}\x01port=${port}\x01auth=Bearer ${token}\x01\x01`;
}

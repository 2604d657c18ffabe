import type { MailOAuth } from '../../mail-connector.ts';

/** OAuth 2.0 for mail servers; the library is loaded when someone signs in or a token is refreshed. */
export const mailOAuth: MailOAuth = {
  signInByBrowser: async (...given) => (await import('./browser-sign-in.ts')).signInByBrowser(...given),
  signInByDevice: async (...given) => (await import('./device-sign-in.ts')).signInByDevice(...given),
  refresh: async (...given) => (await import('./refresh.ts')).refresh(...given),
};

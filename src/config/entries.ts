import { z } from 'zod';
import { amount, formatted, isHttpUrl, secret } from './fields.ts';

const HIGHEST_PORT = 65_535;
const port = (usual: number) => amount(usual, 1, HIGHEST_PORT).describe('Its port.');

const WhatMayLeave = z.enum(['allow', 'hold', 'deny']);
const recipients = () => z.array(z.string()).optional().describe('Only these recipients; everybody when empty.');

export const Policy = z.strictObject({
  send: WhatMayLeave.default('allow').describe('`hold` waits for a person’s approval.'),
  allowed_recipients: recipients(),
  keep_sent_days: z
    .int()
    .min(1)
    .max(36_500)
    .default(30)
    .describe('How long the outbox keeps the words of what was sent, failed or was discarded.'),
});

/** For one source, account or token; what it does not say is as the general policy says. */
export const OwnPolicy = z
  .strictObject({
    send: WhatMayLeave.optional().describe('As `policy.send`, for this one.'),
    allowed_recipients: recipients(),
  })
  .optional()
  .describe('What may leave through it.');

const Named = {
  name: z.string().optional().describe('How it is called in lists; its id when empty.'),
  policy: OwnPolicy,
};

/** What all sources have. */
const Kept = {
  ...Named,
  keep_days: z.int().min(1).max(36_500).optional().describe('Messages older than this are forgotten; none when empty.'),
};

/** How much of what the network has kept is fetched, for sources that can be asked. */
const Fetched = {
  ...Kept,
  history_days: z.int().min(0).max(36_500).default(365).describe('How far back its history is fetched.'),
  history_messages: amount(100_000, 0, 100_000_000).describe('How many older messages are fetched for each chat.'),
};

/**
 * The settings of each kind of source, besides those that all have. Made where there is a source: it is as much as
 * everything else that can be configured.
 */
export const Source = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('telegram'),
      ...Kept,
      api_id: z.int().min(1).describe('From my.telegram.org.'),
      api_hash: secret().describe('From my.telegram.org.'),
    }),
    z.strictObject({
      kind: z.literal('signal'),
      ...Kept,
      account: z.string().describe('The telephone number, in quotes: `"+15550100"`.'),
      endpoint: z.string().optional().describe('Where signal-cli listens: `tcp://127.0.0.1:7583`.'),
    }),
    z.strictObject({ kind: z.literal('whatsapp'), ...Kept }),
    z.strictObject({
      kind: z.literal('xmpp'),
      ...Fetched,
      jid: formatted('an address like alice@example.org', isAddress).describe('The address of the account.'),
      password: secret().optional().describe('Its password.'),
      service: formatted('an address like xmpp://host:5222 or xmpps://host:5223', isXmppService)
        .optional()
        .describe('Where its server is, when its domain does not say: `xmpp://host:5222`, `xmpps://host:5223`.'),
      tls: z.boolean().default(true).describe('Whether the password may only be sent over an encrypted connection.'),
      ca: z.string().optional().describe('A file with the certificate to trust, when it is one of your own.'),
      nick: z.string().optional().describe('The nickname in rooms; the first part of the address when empty.'),
      rooms: z.array(z.string()).default([]).describe('Rooms to join.'),
    }),
    z.strictObject({
      kind: z.literal('irc'),
      ...Fetched,
      host: z.string().describe('The server.'),
      port: port(6697),
      tls: z.boolean().default(true).describe('Whether the connection is encrypted.'),
      ca: z.string().optional().describe('A file with the certificate to trust, when it is one of your own.'),
      nick: z.string().describe('The nickname.'),
      account: z.string().optional().describe('The account to sign in to (SASL); the nickname when empty.'),
      password: secret().optional().describe('Its password; without one, nobody signs in.'),
      server_password: secret().optional().describe('The password of the server itself, where it asks for one.'),
      channels: z.array(z.string()).default([]).describe('Channels to join, in quotes: `["#x"]`.'),
    }),
    z.strictObject({
      kind: z.literal('matrix'),
      ...Fetched,
      homeserver: formatted('an address that begins with http:// or https://', isHttpUrl).describe(
        'The address of the homeserver.',
      ),
      user: z.string().optional().describe('The user, like `@alice:example.org`; needed with a password.'),
      password: secret().optional().describe('The password, where there is no access token.'),
      access_token: secret().optional().describe('An access token, instead of user and password.'),
      rooms: z
        .array(z.string())
        .default([])
        .describe('Rooms to join besides those the user is in: `#room:example.org`.'),
    }),
    z.strictObject({ kind: z.literal('beeper'), ...Kept }),
    z.strictObject({
      kind: z.literal('webhook'),
      ...Kept,
      secret: secret()
        .optional()
        .describe('Senders sign with it: HMAC-SHA256 in `x-switchboard-signature`, or as Standard Webhooks do.'),
    }),
    z.strictObject({ kind: z.literal('archive'), ...Kept }),
  ]),
);

function mailServer(usualPort: number) {
  return z.strictObject({
    host: z.string().describe('The server.'),
    port: port(usualPort),
    tls: z
      .union([z.boolean(), z.literal('starttls')])
      .default(true)
      .describe('Whether and how it is encrypted.'),
  });
}

export const Account = z.lazy(() =>
  z.strictObject({
    ...Named,
    email: formatted('an address like alice@example.org', isAddress).describe('The address of the account.'),
    provider: z.enum(['imap']).default('imap').describe('How its mail is reached.'),
    imap: mailServer(993).describe('Where mail is read.'),
    smtp: mailServer(465).optional().describe('Where mail is sent; without it nothing can be.'),
    auth: z
      .strictObject({
        user: z.string().optional().describe('The user’s name there; the address when empty.'),
        password: secret().optional().describe('The password.'),
      })
      .prefault({})
      .describe('How to sign in.'),
    ca: z.string().optional().describe('A file with the certificate to trust, when it is one of your own.'),
  }),
);

/** Ids that stand for something else already. */
export const RESERVED_IDS: ReadonlySet<string> = new Set(['demo', 'agentmail', 'human']);

function isXmppService(text: string): boolean {
  return /^xmpps?:\/\/[^/\s]+$/i.test(text) && URL.canParse(text);
}

function isAddress(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text);
}

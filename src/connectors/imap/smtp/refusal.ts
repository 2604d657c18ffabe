/** Why a server refused something, in our own words. Its text is only searched for what it is about. */

/** What the reply answers. */
export type Step = 'connect' | 'sign-in' | 'sender' | 'recipient' | 'message';

export interface Refusal {
  reason: string;
  /** The server refuses it for now only. */
  isTemporary: boolean;
}

interface Reply {
  /** Of three digits. */
  code: string;
  /** Without its class: `1.1` of `5.1.1` (RFC 3463). */
  detail?: string;
  text: string;
}

/** By the enhanced status code. */
const BY_DETAIL: Readonly<Record<string, string>> = {
  '1.0': 'The server does not accept this address',
  '1.1': 'The server does not know this address',
  '1.2': 'The domain of this address does not exist or receives no email',
  '1.3': 'The server does not accept the form of this address',
  '1.6': 'The owner of this address has moved',
  '1.7': "The server does not accept the form of the sender's address",
  '1.8': "The server does not accept the domain of the sender's address",
  '1.10': 'The domain of this address receives no email',
  '2.0': 'The mailbox of this address cannot receive it',
  '2.1': 'The mailbox of this address is disabled',
  '2.2': 'The mailbox of this address is full',
  '2.3': 'The email is too large',
  '2.4': 'The mailing list of this address does not work',
  '3.1': 'The server has no space left',
  '3.2': 'The server accepts no email at the moment',
  '3.4': 'The email is too large',
  '4.1': 'The server cannot deliver to this address',
  '4.2': 'The connection to the server of this address was lost',
  '4.4': 'The server does not know where to send it',
  '4.5': 'The sending limit of the account is reached',
  '4.7': 'The server could not deliver it in time',
  '5.3': 'The email has too many recipients',
  '6.0': 'The server does not accept the content of the email',
  '7.3': 'The server accepts no email from this sender for this address',
  '7.8': 'The server did not accept the user name, the password or the access token',
  '7.9': 'The server does not accept this way of signing in',
  '7.11': 'The server requires encryption for this',
  '7.14': 'The server requires you to sign in with a web browser first',
  '7.20': 'The signature (DKIM) of the email is missing or wrong',
  '7.23': "The sender's domain does not allow this server to send for it (SPF)",
  '7.25': 'The server of the account has no proper host name',
  '7.26': "The sender's domain could not be verified (SPF, DKIM)",
  '7.27': "The sender's domain receives no email",
  '7.28': 'The sending limit of the account is reached',
  '7.30': 'The server requires encryption for this',
  '7.57': 'The server requires signing in',
  '7.60': 'The account may not send with this sender address',
};

/** Of these, what can be true for a while. */
const CAN_BE_TEMPORARY = new Set(['2.2', '3.1', '3.2', '4.1', '4.2', '4.4', '4.5', '4.7', '5.3', '7.28']);
/** Used for everything: the text tells more. */
const VAGUE = new Set(['1.0', '2.0', '6.0']);

/** By what the server's text is about; the first that matches. */
const BY_TEXT: readonly (readonly [RegExp, string, (readonly Step[])?])[] = [
  [
    /rate.?limit|too many (?:messages|emails|mails)|(?:sending|daily|hourly|message).{0,20}(?:limit|quota)|throttl/i,
    'The sending limit of the account is reached',
  ],
  [/too many recipients/i, 'The email has too many recipients'],
  [/gr[ea]y.?list/i, 'The server asks to try again later (greylisting)'],
  [/size|too (?:large|big)/i, 'The email is too large', ['sender', 'message', 'recipient']],
  [
    /quota|mailbox (?:is )?full|over.?quota|insufficient (?:system )?storage/i,
    'The mailbox of this address is full',
    ['recipient', 'message'],
  ],
  [/relay/i, 'The server does not send to other domains for this account', ['recipient', 'sender']],
  [/virus|malware|infected/i, 'The server takes the email for malware', ['message']],
  [/spam|junk|unsolicited|bulk/i, 'The server takes the email for spam', ['message', 'recipient', 'sender']],
  [/black.?list|block.?list|reputation|\brbl\b|dnsbl/i, 'The server blocks the address that this email is sent from'],
  [
    /send.?as|not (?:owned|allowed to send)|sender address rejected/i,
    'The account may not send with this sender address',
    ['sender', 'message', 'recipient'],
  ],
  [
    /unknown|no such|not exist|not found|unrouteable|invalid recipient|user doesn/i,
    'The server does not know this address',
    ['recipient'],
  ],
  [/application.?specific|app.?password/i, 'The server requires an app password instead of the password', ['sign-in']],
  [/disabled|not enabled/i, 'The server does not allow signing in this way for this account', ['sign-in']],
];

const BY_CODE: Readonly<Record<string, string>> = {
  '452': 'The server has no space left',
  '530': 'The server requires signing in',
  '552': 'The email is too large',
};

/** Answers to signing in that say nothing of the credentials: it is not offered here, or not before STARTTLS. */
const NOT_OFFERED: ReadonlySet<string> = new Set(['500', '502', '503', '504', '530', '538']);
const NO_SIGN_IN = 'The server lets nobody sign in on this port, or not without encryption';

const BY_STEP: Readonly<Record<Step, string>> = {
  connect: 'The server accepts no email from here',
  'sign-in': 'The server did not accept the user name, the password or the access token',
  sender: "The server does not accept the sender's address",
  recipient: 'The server does not accept this address',
  message: 'The server does not accept the email',
};
const TEMPORARY: Readonly<Record<Step, string>> = {
  connect: 'The server accepts no email at the moment',
  'sign-in': 'Signing in to the server is not possible at the moment',
  sender: 'The server accepts no email at the moment',
  recipient: 'The server does not accept email for this address at the moment',
  message: 'The server does not accept the email at the moment',
};

/** Returns undefined where the text is no refusal. */
export function refusalOf(response: string, step: Step): Refusal | undefined {
  const reply = parseReply(response);
  if (!reply) return undefined;
  const isTemporary = reply.code.startsWith('4');
  const status = reply.detail === undefined ? reply.code : `${reply.code} ${isTemporary ? 4 : 5}.${reply.detail}`;
  return { reason: `${wordsFor(reply, step, isTemporary)} (${status}).`, isTemporary };
}

function wordsFor({ code, detail, text }: Reply, step: Step, isTemporary: boolean): string {
  const byDetail =
    detail === undefined || (isTemporary && !CAN_BE_TEMPORARY.has(detail)) ? undefined : BY_DETAIL[detail];
  const byText = BY_TEXT.find(([pattern, , steps]) => (steps?.includes(step) ?? true) && pattern.test(text))?.[1];
  const isVague = detail !== undefined && VAGUE.has(detail);
  const words = isVague ? (byText ?? (step === 'recipient' ? byDetail : undefined)) : (byDetail ?? byText);
  if (words === undefined && step === 'sign-in' && NOT_OFFERED.has(code)) return NO_SIGN_IN;
  return words ?? BY_CODE[code] ?? (isTemporary ? TEMPORARY : BY_STEP)[step];
}

function parseReply(response: string): Reply | undefined {
  const [, code, detail] = /^([45]\d\d)(?:[ -](?:[45]\.(\d{1,3}\.\d{1,3})(?!\d))?|$)/.exec(response) ?? [];
  if (code === undefined) return undefined;
  return { code, ...(detail === undefined ? {} : { detail }), text: response.slice(0, 2_000) };
}

import type { LoginEnd, NotSent, Rejected } from '../connector.ts';

/** The error code of Telegram, such as `PHONE_CODE_INVALID`; empty for other errors. */
export function codeOf(error: unknown): string {
  const text = error instanceof Error && 'text' in error ? error.text : undefined;
  return typeof text === 'string' ? text : '';
}

/** The seconds that Telegram asks to wait. */
function waitOf(error: unknown): number | undefined {
  if (!/^(?:FLOOD|SLOWMODE)_(?:[A-Z]+_)*(?:WAIT_)?/.test(codeOf(error))) return undefined;
  const seconds = error instanceof Error && 'seconds' in error ? error.seconds : undefined;
  return typeof seconds === 'number' ? seconds : 0;
}

const ENDED = new Set(['AUTH_KEY_UNREGISTERED', 'AUTH_KEY_INVALID', 'SESSION_REVOKED', 'SESSION_EXPIRED']);
const CLOSED = new Set(['USER_DEACTIVATED', 'USER_DEACTIVATED_BAN', 'PHONE_NUMBER_BANNED']);
const API_KEY = 'Telegram does not know these `api_id` and `api_hash`: copy both from my.telegram.org.';
const BANNED = 'Telegram has banned or closed this account.';

/** Why signing in with a stored session cannot succeed; undefined if it may later. */
export function rejectionOf(error: unknown, source: string): Rejected | undefined {
  const code = codeOf(error);
  const again = `Sign in again: \`switchboard chat login ${source}\`.`;
  const reject = (reason: string): Rejected => ({ kind: 'rejected', reason, cause: error });
  if (ENDED.has(code)) return reject(`Telegram has ended this session. ${again}`);
  if (code === 'AUTH_KEY_DUPLICATED') {
    return reject(`Telegram has ended this session, because it was used in two places at the same time. ${again}`);
  }
  if (CLOSED.has(code)) return reject(BANNED);
  return code.startsWith('API_ID_') ? reject(API_KEY) : undefined;
}

const SIGN_IN: Readonly<Record<string, string>> = {
  PHONE_NUMBER_INVALID: 'Telegram does not know this phone number. Enter it with its country code, such as +15550100.',
  PHONE_NUMBER_UNOCCUPIED:
    'There is no Telegram account with this phone number. Create one in an app of Telegram first.',
  PHONE_NUMBER_FLOOD: 'Telegram has received too many sign-ins of this phone number. Try again tomorrow.',
  PHONE_PASSWORD_FLOOD: 'Telegram has received too many sign-ins of this phone number. Try again tomorrow.',
  PHONE_NUMBER_APP_SIGNUP_FORBIDDEN: 'Telegram does not allow to sign in with this `api_id`.',
  PHONE_CODE_INVALID: 'The code is wrong.',
  PHONE_CODE_EMPTY: 'The code is wrong.',
  PHONE_CODE_EXPIRED: 'The code has expired. Sign in again to get a new one.',
  PASSWORD_HASH_INVALID: 'The password is wrong.',
  AUTH_TOKEN_EXPIRED: 'The QR code has expired. Sign in again.',
};

/** Why a sign-in failed, in our own text; undefined if Telegram was not reached. */
export function signInFailure(error: unknown): (LoginEnd & { kind: 'failed' }) | undefined {
  const code = codeOf(error);
  if (code === '') return undefined;
  const wait = waitOf(error);
  const reason =
    SIGN_IN[code] ??
    (CLOSED.has(code) ? BANNED : undefined) ??
    (code.startsWith('API_ID_') ? API_KEY : undefined) ??
    (wait === undefined ? undefined : `Telegram asks to wait for ${duration(wait)} before the next attempt.`) ??
    'Telegram refuses to sign in.';
  return { kind: 'failed', reason, cause: error };
}

const NOT_ALLOWED = 'Telegram does not allow to write in this chat.';
const SENDING: Readonly<Record<string, string>> = {
  MESSAGE_TOO_LONG: 'The message is too long for Telegram: at most 4,096 characters.',
  MESSAGE_EMPTY: 'Telegram does not accept an empty message.',
  PEER_ID_INVALID: 'There is no such chat.',
  CHANNEL_INVALID: 'There is no such chat.',
  CHAT_ID_INVALID: 'There is no such chat.',
  USERNAME_NOT_OCCUPIED: 'There is no account or chat with this name.',
  USERNAME_INVALID: 'There is no account or chat with this name.',
  INPUT_USER_DEACTIVATED: 'This account was deleted.',
  USER_IS_BLOCKED: 'This account has blocked you.',
  YOU_BLOCKED_USER: 'You have blocked this account.',
  PEER_FLOOD: 'Telegram has limited your account: it may write only to contacts at the moment.',
  CHAT_WRITE_FORBIDDEN: NOT_ALLOWED,
  CHAT_ADMIN_REQUIRED: NOT_ALLOWED,
  CHAT_RESTRICTED: NOT_ALLOWED,
  CHANNEL_PRIVATE: NOT_ALLOWED,
  USER_BANNED_IN_CHANNEL: NOT_ALLOWED,
  CHAT_SEND_PLAIN_FORBIDDEN: NOT_ALLOWED,
  REPLY_MESSAGE_ID_INVALID: 'The message to reply to does not exist any more.',
};

/** An answer of Telegram that means that a message was not sent; undefined if that is not certain. */
export function sendFailure(error: unknown): NotSent | undefined {
  const code = codeOf(error);
  const wait = waitOf(error);
  if (wait !== undefined) {
    const reason = `Telegram asks to wait for ${duration(wait)} before the next message.`;
    return { kind: 'not-sent', reason, retry: true, cause: error };
  }
  const known = SENDING[code];
  if (known !== undefined) return { kind: 'not-sent', reason: known, retry: false, cause: error };
  const status = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === '' || typeof status !== 'number' || status >= 500) return undefined;
  return { kind: 'not-sent', reason: 'Telegram refuses the message.', retry: false, cause: error };
}

function duration(seconds: number): string {
  if (seconds < 120) return `${seconds} seconds`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} minutes` : `${Math.ceil(seconds / 3_600)} hours`;
}

/** The error code for a message that was sent before under the same number. */
export const SENT_BEFORE = 'RANDOM_ID_DUPLICATE';

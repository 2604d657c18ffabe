import type { Outgoing, Sent } from '../connector.ts';
import { notSent, unknown } from '../outcome-error.ts';
import { directChat, messageId, ownMessage, parseMessageId, selfSender } from './convert.ts';
import { CODE, NotReached, RpcError } from './daemon.ts';
import type { KnownDirectory } from './directory.ts';
import { readSendResult, type SendResult } from './schema.ts';
import type { Link } from './session.ts';

/** Sending to a large group takes long. */
const SEND_MS = 180_000;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const NUMBER = /^\+\d{5,20}$/;
/** The id of a group is 32 bytes, or 16 for those of the first kind. */
const GROUP = /^(?:[A-Za-z\d+/]{43}=|[A-Za-z\d+/]{22}==)$/;

/** The id of the request, by which an answer that comes after a restart is recognised. */
export function requestId({ id }: Pick<Outgoing, 'id'>): string {
  return `send ${id}`;
}

export async function send({ daemon, directory, account, host }: Link, outgoing: Outgoing): Promise<Sent> {
  const { text, replyTo, chat } = outgoing;
  const parameters = {
    ...account.parameters,
    ...recipientOf(chat, directory),
    message: text,
    ...quoteOf(replyTo),
  };
  const answer = await daemon.call('send', parameters, { id: requestId(outgoing), timeoutMs: SEND_MS }).catch(explain);
  return recordSent({ directory, host }, outgoing, answer);
}

/** Stores a message of ours as the network took it. */
export async function recordSent(
  { directory, host }: Pick<Link, 'directory' | 'host'>,
  { chat, text, replyTo }: Outgoing,
  answer: unknown,
): Promise<Sent> {
  const result = readSendResult(answer);
  if (!result) throw unknown('signal-cli answered with something unknown.');
  refuseUnlessTaken(result);
  const { timestamp, results } = result;
  const address = results[0]?.recipientAddress;
  const place = GROUP.test(chat) ? { id: chat } : directChat(addressIn(chat, address), directory);
  await host.accept([ownMessage({ chat: place, text, replyTo }, timestamp, directory)]);
  return { kind: 'sent', id: messageId(selfSender(directory).id, timestamp) };
}

/** A chat that was addressed by number is that of the person's UUID. */
function addressIn(chat: string, address: { uuid?: string | undefined } | undefined) {
  if (UUID.test(chat)) return { uuid: chat };
  return { number: chat, uuid: address?.uuid };
}

function recipientOf(chat: string, directory: KnownDirectory): Record<string, unknown> {
  if (chat === selfSender(directory).id) return { noteToSelf: true };
  if (UUID.test(chat) || NUMBER.test(chat)) return { recipient: [chat] };
  if (GROUP.test(chat)) return { groupId: chat };
  throw notSent('There is no such chat.');
}

function quoteOf(replyTo: string | undefined): Record<string, unknown> {
  const quoted = replyTo === undefined ? undefined : parseMessageId(replyTo);
  return quoted ? { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author } : {};
}

/** Any recipient of a group suffices; a note to self has none. */
function refuseUnlessTaken({ results }: SendResult): void {
  if (results.length === 0 || results.some(({ type }) => type === 'SUCCESS')) return;
  const has = (type: string) => results.some((each) => each.type === type);
  if (has('NETWORK_FAILURE')) throw unknown('signal-cli could not reach Signal while sending.');
  if (has('UNREGISTERED_FAILURE')) throw notSent('The recipient is not registered with Signal.');
  if (has('IDENTITY_FAILURE')) throw notSent(UNTRUSTED);
  if (has('RATE_LIMIT_FAILURE')) throw notSent(RATE_LIMIT, { retry: true });
  if (has('PROOF_REQUIRED_FAILURE')) throw notSent(CAPTCHA);
  throw unknown('Signal did not accept the message for any recipient.');
}

const UNTRUSTED =
  'The safety number of the recipient has changed: verify it, and trust it with `signal-cli trust`, before you send.';
const RATE_LIMIT = 'Signal limits how much may be sent at the moment.';
const CAPTCHA = 'Signal asks for a captcha before it takes more: see `signal-cli submitRateLimitChallenge`.';

/** A message that signal-cli refused was certainly not sent. After any other failure the outcome is unknown. */
function explain(error: unknown): never {
  if (error instanceof NotReached) throw notSent(error.message, { retry: true, cause: error });
  if (!(error instanceof RpcError)) throw error;
  const results = readSendResult((error.data as { response?: unknown } | undefined)?.response);
  if (results) refuseUnlessTaken(results);
  if (error.code === CODE.untrustedKey) throw notSent(UNTRUSTED, { cause: error });
  if (error.code === CODE.rateLimit) throw notSent(RATE_LIMIT, { retry: true, cause: error });
  if (error.code === CODE.captcha) throw notSent(CAPTCHA, { cause: error });
  if (error.code === CODE.userError) throw notSent(userErrorText(String(error.cause)), { cause: error });
  if (error.code === CODE.wrongParameters) throw notSent('signal-cli does not have the account.', { cause: error });
  if (error.code < -32_000) throw notSent('signal-cli does not know how to send this.', { cause: error });
  throw error;
}

function userErrorText(said: string): string {
  if (/not registered|unregistered/i.test(said)) return 'The recipient is not registered with Signal.';
  if (/group/i.test(said)) return 'The group does not exist, or does not let us write.';
  return 'signal-cli refuses the message.';
}

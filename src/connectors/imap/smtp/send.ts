import { isAscii } from 'node:buffer';
import { Readable } from 'node:stream';
import type { SMTPConnectionSendInfo } from 'nodemailer/lib/smtp-connection';
import {
  type MailCredentials,
  MailError,
  type MailSendOutcome,
  type MailServer,
  type OutgoingMail,
} from '../../mail-connector.ts';
import { failureOf, isRefusalOfContent, refusedRecipients } from './failure.ts';
import { openSession, type SmtpSession, TIMEOUTS, type Timeouts } from './session.ts';

/** How much of the content is given to the connection at once. */
const PIECE = 65_536;
const MAX_HEADER = 1_000_000;

interface Progress {
  /** Whether the end of the content may have reached the server. */
  isHandedOver: boolean;
  /** The server asks for the content. */
  onContent(): void;
}

/** Sends one email in one transaction; never throws. */
export async function sendEmail(
  server: MailServer,
  credentials: MailCredentials,
  outgoing: OutgoingMail,
  timeouts: Timeouts = TIMEOUTS,
): Promise<MailSendOutcome> {
  const wrong = problemIn(outgoing);
  if (wrong !== undefined) return { kind: 'not-sent', reason: wrong, retry: false };
  const dialog = limited(timeouts.dialogMs);
  const progress: Progress = { isHandedOver: false, onContent: dialog.end };
  let session: SmtpSession | undefined;
  try {
    const signal = AbortSignal.any([outgoing.signal, dialog.signal]);
    session = await openSession(server, credentials, signal, timeouts);
    const info = await Promise.race([session.broken, transaction(session, outgoing, progress)]);
    return { kind: 'sent', refused: refusedRecipients(info).map(({ address, reason }) => ({ address, reason })) };
  } catch (cause) {
    if (progress.isHandedOver && !isRefusalOfContent(cause)) {
      return {
        kind: 'unknown',
        reason: 'The connection was lost after the email was handed over: it may have been sent.',
        cause,
      };
    }
    if (outgoing.signal.aborted && cause === outgoing.signal.reason) {
      return {
        kind: 'not-sent',
        reason: 'Sending was interrupted before the email was handed over.',
        retry: true,
        cause,
      };
    }
    return { kind: 'not-sent', ...failureOf(cause), cause };
  } finally {
    dialog.end();
    session?.close();
  }
}

/** Signs in without sending anything. Throws MailError. */
export async function checkSending(
  server: MailServer,
  credentials: MailCredentials,
  signal: AbortSignal,
  timeouts: Timeouts = TIMEOUTS,
): Promise<void> {
  try {
    const session = await openSession(server, credentials, signal, timeouts);
    session.close();
  } catch (cause) {
    if (signal.aborted) throw new MailError('lost', 'The check was interrupted.', cause);
    const { reason, retry } = failureOf(cause);
    throw new MailError(retry ? 'lost' : 'rejected', reason, cause);
  }
}

function limited(ms: number): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  const late = () => controller.abort(Object.assign(new Error('the dialog took too long'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(late, ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

function problemIn({ recipients, content }: OutgoingMail): string | undefined {
  if (recipients.length === 0) return 'The email has no recipient.';
  // Every recipient would see who got a blind copy.
  return /^bcc\s*:/im.test(headerOf(content)) ? 'The email names its Bcc recipients in its header.' : undefined;
}

function headerOf(content: Uint8Array): string {
  const beginning = bytesOf(content).toString('latin1', 0, MAX_HEADER);
  const end = beginning.search(/\r?\n\r?\n/);
  return end === -1 ? beginning : beginning.slice(0, end);
}

/** Marks `progress` before the last byte of the content can reach the server. */
function transaction(
  { connection }: SmtpSession,
  { from, recipients, content }: OutgoingMail,
  progress: Progress,
): Promise<SMTPConnectionSendInfo> {
  const { promise, resolve, reject } = Promise.withResolvers<SMTPConnectionSendInfo>();
  const stream = Readable.from(piecesOf(content, progress.onContent), { objectMode: false });
  stream.once('end', () => {
    progress.isHandedOver = true;
  });
  const envelope = {
    from,
    to: [...recipients],
    size: content.byteLength,
    use8BitMime: !isAscii(content),
  };
  connection.send(envelope, stream, (error, info) => (error ? reject(error) : resolve(info)));
  return promise;
}

function* piecesOf(content: Uint8Array, onBegin: () => void): Generator<Buffer> {
  onBegin();
  const bytes = bytesOf(content);
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE);
}

function bytesOf(content: Uint8Array): Buffer {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

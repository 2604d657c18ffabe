import { connect as connectTcp, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { MailServer } from '../../mail-connector.ts';

const GREETINGS = { imap: /^\* (?:OK|PREAUTH)\b/, smtp: /^220[ -]/ };
const MAX_LENGTH = 4_096;

interface GreetingOptions {
  lookup: LookupFunction;
  signal: AbortSignal;
}

/** Whether a server of this protocol answers: its first line is compared, and nothing is sent. */
export function isGreeting(
  { host, port, tls, ca }: MailServer,
  protocol: 'imap' | 'smtp',
  { lookup, signal }: GreetingOptions,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const how = { host, port, lookup };
  const socket: Socket =
    tls === true ? connectTls({ ...how, servername: host, ...(ca === undefined ? {} : { ca }) }) : connectTcp(how);
  let text = '';
  const no = () => resolve(false);
  socket.setEncoding('latin1').once('error', no).once('close', no);
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (text.includes('\n') || text.length > MAX_LENGTH) resolve(GREETINGS[protocol].test(text));
  });
  signal.addEventListener('abort', no, { once: true });
  if (signal.aborted) no();
  return promise.finally(() => {
    signal.removeEventListener('abort', no);
    socket.destroy();
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import Client from 'irc-framework/src/client.js';
import ircLineParser, { type IrcLine } from 'irc-framework/src/irclineparser.js';
import { readCertificate } from '../certificate-file.ts';
import { type Unanswering, WrongServer, wrongSign } from '../connection-failure.ts';
import { signInFailure } from '../outcome-error.ts';
import { type OutgoingLine, type ParsedLine, wireLine } from './line.ts';
import type { Pace } from './pace.ts';
import { refusalIn, refusedAccount, withoutSasl } from './rejection.ts';
import type { IrcSettings } from './settings.ts';
import { createTransport, type Transport } from './transport.ts';

/** A registered connection. */
export interface IrcSession {
  nick(): string;
  account(): string | undefined;
  /** The server's features (`005`, ISUPPORT). */
  supports(name: string): unknown;
  /** Whether the capability was negotiated. */
  has(capability: string): boolean;
  write(line: OutgoingLine): void;
  /** Pauses or resumes reading from the server. */
  hold(isHeld: boolean): void;
  /** Rejects when the connection ends. */
  lost: Promise<never>;
  quit(): Promise<void>;
}

const CAPABILITIES = [
  'draft/chathistory',
  'draft/event-playback',
  'draft/message-redaction',
  'labeled-response',
  'standard-replies',
];
/** The lines that the library gets: it registers and answers pings; messages are handled here. */
const FOR_THE_LIBRARY = /^(CAP|AUTHENTICATE|PING|NICK|001|005|90\d)$/;
const NICK_TAKEN = new Set(['433', '436', '437']);
const END_OF_WELCOME = new Set(['376', '422']);
/** What servers may send without their name in front. */
const OF_IRC = new Set(['AUTHENTICATE', 'CAP', 'ERROR', 'FAIL', 'NOTE', 'NOTICE', 'PING', 'WARN']);
const GOODBYE_MS = 1_000;

/** Connects and registers. `onLine` receives every line from the first. */
export async function connect(
  settings: IrcSettings,
  pace: Pace,
  signal: AbortSignal,
  onLine: (line: ParsedLine) => void,
): Promise<IrcSession> {
  signal.throwIfAborted();
  const { host, port, tls } = settings;
  const ca = settings.ca === undefined ? undefined : await readCertificate(settings.ca);
  const client = new Client();
  const ready = Promise.withResolvers<void>();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => {});
  let account: string | undefined;
  let isIrc = false;
  let isReady = false;
  let farewell: Error | undefined;

  function refuse(error: Error): void {
    over.reject(error);
    transport.close(true);
  }

  function receive(text: string): boolean {
    const raw = ircLineParser(text);
    if (!raw?.command) return false;
    const line = toLine(raw);
    isIrc ||= line.prefix !== '' || OF_IRC.has(line.command);
    noteSigningIn(line);
    onLine(line);
    return FOR_THE_LIBRARY.test(line.command) && line.tags.batch === undefined;
  }

  function noteSigningIn({ command, params }: ParsedLine): void {
    if (command === '900') account = params[2];
    else if (command === '901') account = undefined;
    else if (command === 'ERROR') farewell = new Error(params.at(-1));
    if (isReady) return;
    if (NICK_TAKEN.has(command)) client.changeNick(`${params[1] ?? settings.nick}_`);
    if (END_OF_WELCOME.has(command)) ready.resolve();
    const rejection = refusalIn(command, params, settings.password !== undefined);
    if (rejection) refuse(rejection);
  }

  function unanswered(end: Unanswering): WrongServer | undefined {
    const reached = isIrc ? undefined : transport.reached();
    return reached && new WrongServer('an IRC server', wrongSign(reached.beginning, end), transport.failure());
  }

  const transport: Transport = createTransport(
    { host, port, tls, ca, connectMs: pace.signInMs, silenceMs: pace.silenceMs },
    receive,
  );
  client.on('close', () =>
    over.reject(endedBy(unanswered(tls ? 'closed' : 'closed without TLS') ?? transport.failure() ?? farewell)),
  );
  client.on('sasl failed', ({ reason }) => refuse(refusedAccount(reason)));
  client.requestCap(CAPABILITIES);
  client.connect(optionsOf(settings, transport));

  const abort = () => refuse(new Error('stopped'));
  signal.addEventListener('abort', abort, { once: true });
  const tooLate = () => refuse(unanswered('silent') ?? new Error('the server did not sign us in in time'));
  const late = setTimeout(tooLate, pace.signInMs);
  try {
    await Promise.race([ready.promise, over.promise]);
    if (settings.password !== undefined && account === undefined) throw withoutSasl();
  } catch (error) {
    refuse(new Error('not signed in'));
    throw isIrc && !signal.aborted ? signInFailure(error) : error;
  } finally {
    isReady = true;
    clearTimeout(late);
    signal.removeEventListener('abort', abort);
  }

  return {
    nick: () => client.user.nick,
    account: () => account,
    supports: (name) => client.network.options[name],
    has: (capability) => client.network.cap.isEnabled(capability),
    write: (line) => transport.writeLine(wireLine(line)),
    hold: (isHeld) => transport.hold(isHeld),
    lost: over.promise,
    async quit() {
      transport.writeLine(wireLine({ command: 'QUIT', params: ['bye'] }));
      await Promise.race([over.promise.catch(() => {}), sleep(GOODBYE_MS, undefined, { ref: false })]);
      transport.close(true);
    },
  };
}

function endedBy(cause: Error | undefined): Error {
  return new Error('the connection to the server ended', { cause });
}

function optionsOf({ host, port, nick, account, password, server_password }: IrcSettings, transport: Transport) {
  return {
    host,
    port,
    nick,
    username: nick.replace(/[^a-z0-9]/gi, '').slice(0, 10) || 'user',
    gecos: nick,
    ...(server_password === undefined ? {} : { password: server_password }),
    // Without an account the library would use the server's password for SASL.
    account: password === undefined ? {} : { account: account ?? nick, password },
    sasl_disconnect_on_fail: true,
    enable_echomessage: true,
    auto_reconnect: false,
    ping_interval: 0,
    ping_timeout: 0,
    version: '',
    // The library calls it with `new`; returning an object satisfies that.
    transport: function give() {
      return transport;
    },
  };
}

function toLine({ tags, prefix, nick, command, params }: IrcLine): ParsedLine {
  const fromServer = !prefix.includes('!') && (prefix === '' || prefix.includes('.'));
  return { tags, nick, prefix, fromServer, command, params };
}

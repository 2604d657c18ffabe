import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, connect as tlsConnect } from 'node:tls';
import { AppError } from '../../domain/errors.ts';
import { readCertificate } from '../certificate-file.ts';
import { noAnswer } from '../connection-failure.ts';
import { rejected, signInFailure } from '../outcome-error.ts';
import { NS } from './namespaces.ts';
import { asRefusal } from './rejection.ts';
import { type ServerAddress, serverAddresses } from './server-address.ts';
import { signIn, type XmppCredentials } from './sign-in.ts';
import { conditionOf, createWire, type Wire } from './wire.ts';
import { type Element, xml } from './xml.ts';

export interface ConnectOptions extends XmppCredentials {
  domain: string;
  resource: string;
  service?: string | undefined;
  /** Whether encryption is required. */
  tls: boolean;
  /** File with a certificate to trust. */
  ca?: string | undefined;
}

const CONNECT_MS = 10_000;

/**
 * Connects, starts TLS, authenticates and binds a resource. Closes everything when the signal is aborted. `onReached` is called
 * when a server has accepted the connection.
 */
export async function connect(
  options: ConnectOptions,
  signal: AbortSignal,
  onReached: (wire: Wire) => void,
): Promise<{ wire: Wire; jid: string }> {
  const trust = await trustOf(options);
  const { socket, isDirectTls } = await reach(await serverAddresses(options.domain, options.service), trust, signal);
  const wire = createWire(socket);
  onReached(wire);
  const onAbort = () => wire.fail(new Error('connecting was given up'));
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return { wire, jid: await negotiate(wire, options, { socket, isEncrypted: isDirectTls, trust }) };
  } catch (error) {
    wire.fail(error instanceof Error ? error : new Error('signing in failed'));
    throw signal.aborted ? error : signInFailure(asRefusal(error));
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function negotiate(
  wire: Wire,
  options: ConnectOptions,
  { socket, isEncrypted, trust }: { socket: Socket; isEncrypted: boolean; trust: ConnectionOptions },
): Promise<string> {
  let features = await openStream(wire, options.domain);
  const startTls = features.getChild('starttls', NS.tls);
  let isSafe = isEncrypted;
  if (!isEncrypted && (options.tls || startTls?.getChild('required'))) {
    if (!startTls) throw rejected('The server offers no encryption, and the password is not sent without.');
    await encrypt(wire, socket, trust);
    features = await openStream(wire, options.domain);
    isSafe = true;
  }
  await signIn(wire, features, options, { mayTellPassword: isSafe || !options.tls });
  await openStream(wire, options.domain);
  return bind(wire, options.resource);
}

async function openStream(wire: Wire, domain: string): Promise<Element> {
  wire.open(domain);
  const features = await wire.next();
  if (!features.is('features', NS.stream)) throw new Error('the server did not say what it can do');
  return features;
}

async function encrypt(wire: Wire, socket: Socket, trust: ConnectionOptions): Promise<void> {
  wire.write(xml('starttls', NS.tls).toString());
  const answer = await wire.next();
  if (!answer.is('proceed', NS.tls)) {
    throw new AppError('NETWORK_ERROR', 'The server offered encryption and then refused it.');
  }
  const encrypted = tlsConnect({ ...trust, socket });
  wire.moveTo(encrypted);
  await Promise.race([established(encrypted, 'secureConnect'), wire.over.then((reason) => Promise.reject(reason))]);
}

async function bind(wire: Wire, resource: string): Promise<string> {
  const request = xml('iq', { type: 'set', id: 'bind' }, xml('bind', NS.bind, xml('resource', {}, resource)));
  wire.write(request.toString());
  const answer = await wire.next();
  const jid = answer.getChild('bind', NS.bind)?.getChildText('jid');
  if (answer.attrs.type === 'result' && jid) return jid;
  throw new Error(`the server gave us no address of our own: ${conditionOf(answer.getChild('error'))}`);
}

/** The first address that accepts a connection. */
async function reach(addresses: readonly ServerAddress[], trust: ConnectionOptions, signal: AbortSignal) {
  const failures: unknown[] = [];
  for (const { host, port, isDirectTls } of addresses) {
    signal.throwIfAborted();
    const socket = isDirectTls
      ? tlsConnect({ ...trust, host, port, ALPNProtocols: ['xmpp-client'] })
      : tcpConnect({ host, port });
    try {
      await withinReach(socket, isDirectTls ? 'secureConnect' : 'connect', signal);
      return { socket, isDirectTls };
    } catch (error) {
      // Ignores errors after the socket was abandoned.
      socket.on('error', () => {}).destroy();
      failures.push(error);
    }
  }
  throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'no address of the server answers');
}

async function withinReach(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  const given = Promise.withResolvers<never>();
  const timer = setTimeout(() => given.reject(noAnswer({ isConnected: !socket.connecting })), CONNECT_MS);
  const onAbort = () => given.reject(new Error('connecting was given up'));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([established(socket, event), given.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

function established(socket: Socket, event: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(new Error('the connection was closed'));
    socket.once('error', reject).once('close', onClose);
    socket.once(event, () => {
      socket.off('error', reject).off('close', onClose);
      resolve();
    });
  });
}

/** The certificate must match the domain of the address, on whichever host the server was found. */
async function trustOf({ domain, ca }: ConnectOptions): Promise<ConnectionOptions> {
  return {
    ...(isIP(domain) ? {} : { servername: domain }),
    ...(ca === undefined ? {} : { ca: await readCertificate(ca) }),
    checkServerIdentity: (_, certificate) => checkServerIdentity(domain, certificate),
  };
}

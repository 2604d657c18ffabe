import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';

/** Where the set-up unpacks it; a machine may have one of its own. */
const UNPACKED = join(import.meta.dirname, '..', '..', '..', '.cache', 'ergochat', 'usr', 'bin', 'ergochat');
const PROGRAM = existsSync(UNPACKED) ? UNPACKED : 'ergochat';
const ATTEMPTS = 5;

interface ErgoOptions {
  /** A free one when it is missing. */
  port?: number;
  /** The password of the server itself. */
  password?: string;
  /** Without it nobody can ask for what was said before. */
  history?: boolean;
}

export interface Ergo {
  readonly port: number;
  stop(): Promise<void>;
}

/** A private IRC server on loopback: accounts, history in memory, nobody is slowed down. */
export async function startErgo(options: ErgoOptions = {}): Promise<Ergo> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Somebody else may have taken the port that was free a moment ago.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(options: ErgoOptions): Promise<Ergo> {
  const folder = mkdtempSync(join(tmpdir(), 'ergo-'));
  const port = options.port ?? (await freePort());
  let server: ChildProcess | undefined;
  const stop = async () => {
    if (server && server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFileSync(join(folder, 'ircd.yaml'), configuration(port, options));
    execFileSync(PROGRAM, ['initdb', '--conf', 'ircd.yaml', '--quiet'], { cwd: folder, stdio: 'ignore' });
    server = spawn(PROGRAM, ['run', '--conf', 'ircd.yaml'], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    await listening(server);
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listening(server: ChildProcess): Promise<void> {
  const { stderr } = server;
  if (!stderr) throw new Error('Ergo has no log');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('exit', () => reject(new Error('Ergo ended at once')));
  // Read to the end, or the server would wait for us one day.
  createInterface(stderr).on('line', (line) => {
    if (line.includes('now listening on')) resolve();
  });
  await promise;
}

/** The password is bcrypt's, of a few rounds only; Ergo makes it itself. */
function hashOf(password: string): string {
  return execFileSync(PROGRAM, ['genpasswd'], { input: `${password}\n${password}\n`, encoding: 'utf8' }).trim();
}

function configuration(port: number, { password, history = true }: ErgoOptions): string {
  return `
network: { name: TestNet }
server:
  name: irc.test
  listeners: { "127.0.0.1:${port}": {} }
  casemapping: precis
  enforce-utf8: false
  lookup-hostnames: false
  check-ident: false
  forward-confirm-hostnames: false
  max-sendq: 64M
  ${password === undefined ? '' : `password: "${hashOf(password)}"`}
  ip-limits: { count: false, throttle: false, cidr-len-ipv4: 32, cidr-len-ipv6: 64, exempted: [localhost] }
  ip-cloaking: { enabled: false }
  compatibility: { force-trailing: true, send-unprefixed-sasl: true, allow-truncation: false }
accounts:
  authentication-enabled: true
  advertise-scram: false
  registration:
    enabled: true
    allow-before-connect: true
    throttling: { enabled: false }
    bcrypt-cost: 4
    verify-timeout: 1h
  login-throttling: { enabled: false }
  skip-server-password: false
  login-via-pass-command: false
  require-sasl: { enabled: false }
  nick-reservation:
    enabled: true
    additional-nick-limit: 0
    method: strict
    guest-nickname-format: "Guest-*"
    force-guest-format: false
    force-nick-equals-account: false
  multiclient: { enabled: true, allowed-by-default: true, always-on: opt-in, auto-away: opt-in }
  vhosts: { enabled: false }
channels:
  default-modes: +nt
  max-channels-per-client: 100
  registration: { enabled: true }
oper-classes: {}
opers: {}
logging:
  - { method: stderr, type: "listeners server", level: info }
datastore: { path: ircd.db, autoupgrade: true }
limits:
  nicklen: 32
  identlen: 20
  realnamelen: 150
  channellen: 64
  awaylen: 390
  kicklen: 390
  topiclen: 390
  monitor-entries: 100
  whowas-entries: 100
  chan-list-modes: 100
  registration-messages: 1024
  multiline: { max-bytes: 4096, max-lines: 100 }
fakelag: { enabled: false }
history:
  enabled: ${history}
  channel-length: 20000
  client-length: 2048
  autoresize-window: 3d
  autoreplay-on-join: 0
  chathistory-maxmessages: 100
  znc-maxmessages: 2048
  restrictions: { expire-time: 1w, query-cutoff: none, grace-period: 1h }
  persistent: { enabled: false }
  retention: { allow-individual-delete: true, enable-account-indexing: false }
  tagmsg-storage: { default: true }
`;
}

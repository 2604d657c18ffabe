import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../free-port.ts';

interface ProsodyOptions {
  /** All users, each with the password `pw-<name>`. */
  users: readonly string[];
  /** Whether TLS is available; it is then required on plain connections, too. */
  tls?: boolean;
  /** Without it the server has no message archive. */
  archive?: boolean;
  /** SASL mechanisms that the server does not offer. */
  withoutMechanisms?: readonly string[];
}

export interface Prosody {
  readonly port: number;
  /** The port with direct TLS. */
  readonly directTlsPort: number;
  /** A file with the certificate to trust. */
  readonly certificate: string;
  stop(): Promise<void>;
}

export const DOMAIN = 'localhost';
export const ROOMS = 'rooms.localhost';
const ATTEMPTS = 5;
const START_MS = 60_000;

/** A private XMPP server on loopback, with rooms and archives whose pages are short. */
export async function startProsody(options: ProsodyOptions): Promise<Prosody> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken the free port.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(options: ProsodyOptions): Promise<Prosody> {
  const folder = mkdtempSync(join(tmpdir(), 'prosody-'));
  const [port, directTlsPort] = await Promise.all([freePort(), freePort()]);
  writeAccounts(folder, options.users);
  const certificate = join(folder, `${DOMAIN}.crt`);
  if (options.tls) makeCertificate(folder, certificate);
  const configuration = join(folder, 'prosody.cfg.lua');
  writeFileSync(configuration, configurationText(folder, port, directTlsPort, options));
  const server = spawn('prosody', ['-F', '--config', configuration], { stdio: ['ignore', 'pipe', 'ignore'] });
  const ended = Promise.withResolvers<void>();
  server.once('exit', () => ended.resolve()).once('error', () => ended.resolve());
  const stop = async () => {
    server.kill('SIGKILL');
    await ended.promise;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await listening(server, ended.promise, options.tls ? [port, directTlsPort] : [port]);
    return { port, directTlsPort, certificate, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function listening({ stdout }: ChildProcess, ended: Promise<void>, ports: readonly number[]): Promise<void> {
  if (!stdout) throw new Error('Prosody has no log');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const wanted = new Set(ports.map((port) => `:${port}`));
  const timer = setTimeout(() => reject(new Error('Prosody did not start in time')), START_MS);
  void ended.then(() => reject(new Error('Prosody ended at once')));
  // Read to the end, or the server would block on a full pipe.
  createInterface(stdout).on('line', (line) => {
    if (line.includes('Failed to open server port')) reject(new Error('a port of Prosody was taken'));
    if (!line.includes('Activated service')) return;
    for (const port of wanted) if (line.includes(port)) wanted.delete(port);
    if (wanted.size === 0) resolve();
  });
  await promise.finally(() => clearTimeout(timer));
}

function writeAccounts(folder: string, users: readonly string[]): void {
  const accounts = join(folder, 'data', DOMAIN, 'accounts');
  mkdirSync(accounts, { recursive: true });
  for (const user of users) writeFileSync(join(accounts, `${user}.dat`), `return { ["password"] = "pw-${user}"; };\n`);
}

function makeCertificate(folder: string, certificate: string): void {
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=a test'];
  const files = ['-keyout', join(folder, `${DOMAIN}.key`), '-out', certificate];
  const names = `subjectAltName=DNS:${DOMAIN}`;
  execFileSync('openssl', ['req', '-x509', ...how, '-addext', names, '-days', '2', ...files], { stdio: 'pipe' });
}

function configurationText(
  folder: string,
  port: number,
  directTlsPort: number,
  { tls = false, archive = true, withoutMechanisms = [] }: ProsodyOptions,
): string {
  const modules = ['roster', 'saslauth', 'disco', 'carbons', 'ping', 'blocklist', 'smacks'];
  if (archive) modules.push('mam');
  if (tls) modules.push('tls');
  return `
run_as_root = true
daemonize = false
network_settings = { nagle = false, opportunistic_writes = true }
pidfile = "${folder}/prosody.pid"
data_path = "${folder}/data"
certificates = "${folder}"
log = { { levels = { min = "info" }, to = "console" } }
interfaces = { "127.0.0.1" }
local_interfaces = { "127.0.0.1" }
c2s_ports = { ${port} }
c2s_direct_tls_ports = { ${tls ? directTlsPort : ''} }
s2s_ports = {}
component_ports = {}
http_ports = {}
https_ports = {}
c2s_require_encryption = ${tls}
allow_unencrypted_plain_auth = true
authentication = "internal_plain"
storage = "internal"
modules_enabled = { ${modules.map((name) => `"${name}"`).join('; ')} }
modules_disabled = { "s2s"; "posix"${tls ? '' : '; "tls"'} }
disable_sasl_mechanisms = { ${withoutMechanisms.map((name) => `"${name}"`).join('; ')} }
archive_expires_after = "never"
storage_archive_item_limit = 100000
default_archive_policy = true
max_archive_query_results = 50
VirtualHost "${DOMAIN}"
Component "${ROOMS}" "muc"
  ${archive ? 'modules_enabled = { "muc_mam" }' : ''}
  muc_log_by_default = true
  muc_log_expires_after = "never"
  muc_room_default_persistent = true
  muc_tombstones = false
`;
}

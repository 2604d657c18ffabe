import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../free-port.ts';

/** The same as in `scripts/synapse.mjs`, which installs it. */
const synapseRoot = process.env.SYNAPSE_ROOT || '/var/cache/synapse-sid';
export const SERVER_NAME = 'hs.test';
const SECRET = 'only-for-tests';
const START_MS = 120_000;
const ATTEMPTS = 3;

/** A real homeserver on loopback. */
export interface Synapse {
  readonly port: number;
  readonly url: string;
  /** Creates a user with the password `pw-<name>`. */
  register(name: string, options?: { displayName?: string }): Promise<void>;
  stop(): Promise<void>;
}

/** Starts Synapse in its chroot, with a folder and a database of its own. */
export async function startSynapse(): Promise<Synapse> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce();
    } catch (error) {
      // Another process may have taken the free port.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(): Promise<Synapse> {
  mkdirSync(join(synapseRoot, 'srv'), { recursive: true });
  const folder = mkdtempSync(join(synapseRoot, 'srv', 'switchboard-'));
  const inside = `/srv/${basename(folder)}`;
  const port = await freePort();
  writeFileSync(
    join(folder, 'signing.key'),
    `ed25519 a_test ${randomBytes(32).toString('base64').replace(/=+$/, '')}\n`,
  );
  writeFileSync(join(folder, 'log.yaml'), LOG);
  writeFileSync(join(folder, 'homeserver.yaml'), configuration(inside, port));
  const output = openSync(join(folder, 'output.log'), 'w');
  const program = ['python3', '-m', 'synapse.app.homeserver', '--config-path', `${inside}/homeserver.yaml`];
  const server = spawn('chroot', [synapseRoot, ...program], {
    stdio: ['ignore', output, output],
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LANG: 'C.UTF-8' },
  });
  closeSync(output);
  const ended = Promise.withResolvers<void>();
  server.once('exit', () => ended.resolve()).once('error', () => ended.resolve());
  const kill = () => void server.kill('SIGKILL');
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    kill();
    await ended.promise;
    rmSync(folder, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  try {
    await answering(url, server);
  } catch (error) {
    const said = readFileSync(join(folder, 'output.log'), 'utf8').slice(-2_000);
    await stop();
    throw new Error(`Synapse did not start: ${said}`, { cause: error });
  }
  return { port, url, register: (name, options) => register(url, name, options), stop };
}

async function answering(url: string, server: ChildProcess): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    const answer = await fetch(`${url}/_matrix/client/versions`).catch(() => undefined);
    if (answer?.ok) return;
    if (server.exitCode !== null || Date.now() > until) throw new Error('it does not answer');
    await sleep(100);
  }
}

/** By the shared secret, as the program of Synapse that creates users does. */
async function register(url: string, name: string, { displayName = name }: { displayName?: string } = {}) {
  const address = `${url}/_synapse/admin/v1/register`;
  const { nonce } = (await (await fetch(address)).json()) as { nonce: string };
  const password = `pw-${name}`;
  const mac = createHmac('sha1', SECRET).update([nonce, name, password, 'notadmin'].join('\0')).digest('hex');
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ nonce, username: name, displayname: displayName, password, admin: false, mac }),
  });
  if (!answer.ok) throw new Error(`${name} could not be registered: ${await answer.text()}`);
}

const LOG = `version: 1
root: { level: WARNING, handlers: [console] }
handlers: { console: { class: logging.StreamHandler } }
disable_existing_loggers: false
`;

const UNLIMITED = '{ per_second: 100000, burst_count: 100000 }';

function configuration(folder: string, port: number): string {
  return `server_name: ${SERVER_NAME}
pid_file: ${folder}/pid
listeners:
  - { port: ${port}, type: http, tls: false, bind_addresses: ["127.0.0.1"], resources: [{ names: [client, media] }] }
database: { name: sqlite3, args: { database: ":memory:", cp_min: 1, cp_max: 1 } }
log_config: ${folder}/log.yaml
media_store_path: ${folder}/media
signing_key_path: ${folder}/signing.key
report_stats: false
bcrypt_rounds: 4
enable_media_repo: true
registration_shared_secret: ${SECRET}
macaroon_secret_key: ${SECRET}
form_secret: ${SECRET}
trusted_key_servers: []
suppress_key_server_warning: true
presence: { enabled: false }
rc_message: ${UNLIMITED}
rc_registration: ${UNLIMITED}
rc_login: { address: ${UNLIMITED}, account: ${UNLIMITED}, failed_attempts: ${UNLIMITED} }
rc_joins: { local: ${UNLIMITED}, remote: ${UNLIMITED} }
rc_joins_per_room: ${UNLIMITED}
rc_invites: { per_room: ${UNLIMITED}, per_user: ${UNLIMITED}, per_issuer: ${UNLIMITED} }
rc_admin_redaction: ${UNLIMITED}
`;
}

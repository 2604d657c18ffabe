import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { EnvironmentVariables } from './passphrase.ts';

/** The system's keychain: the login keychain on macOS, the Secret Service (GNOME, KDE …) on Linux. */
export interface Keychain {
  /** Resolves if a value could be written, read back and deleted; otherwise rejects with the reason. */
  probe(): Promise<void>;
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
}

const SERVICE = 'switchboard';
const PROBE_TIMEOUT_MS = 3_000;
/** Longer, because the user may have to enter a password first. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * Each call runs in a child process, because native code that waits for a dialog blocks its thread, and only ending
 * the process ends the wait. The store is pinned: on Linux the package would otherwise fall back to the kernel
 * keyring, which is lost at the next boot. The check of the parent keeps an orphan from writing a key after another
 * process has taken over.
 */
const CHILD = `
let input = '';
process.stdin.setEncoding('utf8').on('data', (text) => { input += text; }).on('end', () => {
  const { module, parent, action, service, account, value } = JSON.parse(input);
  const reply = (answer) => process.stdout.write(JSON.stringify(answer));
  try {
    const { Entry } = require(module);
    const entry = new Entry(service, account, { linux: { store: 'secret-service' } });
    if (process.ppid !== parent) process.exit(1);
    if (action === 'get') return reply({ value: entry.getPassword() });
    entry.setPassword(value);
    if (action === 'set') return reply({});
    const same = entry.getPassword() === value;
    entry.deletePassword();
    reply(same ? {} : { error: 'the value could not be read back' });
  } catch (error) {
    reply({ error: String(error && error.message) });
  }
});`;

interface KeychainRequest {
  action: 'probe' | 'get' | 'set';
  account: string;
  value?: string;
}

export function createKeychain(env: EnvironmentVariables, module: string = '@napi-rs/keyring'): Keychain {
  const request = (message: KeychainRequest, timeoutMs: number) =>
    runChild(env, { ...message, module: resolveModule(module) }, timeoutMs);
  return {
    async probe() {
      const randomHex = () => randomBytes(16).toString('hex');
      await request({ action: 'probe', account: `probe-${randomHex()}`, value: randomHex() }, PROBE_TIMEOUT_MS);
    },
    async get(account) {
      const { value } = await request({ action: 'get', account }, REQUEST_TIMEOUT_MS);
      return value ?? undefined;
    },
    async set(account, value) {
      await request({ action: 'set', account, value }, REQUEST_TIMEOUT_MS);
    },
  };
}

interface KeychainReply {
  value?: string | null;
  error?: string;
}

/** The package is optional: if it is not installed there is no keychain, which is not an error. */
function resolveModule(module: string): string {
  return fileURLToPath(import.meta.resolve(module));
}

function runChild(env: EnvironmentVariables, message: object, timeoutMs: number): Promise<KeychainReply> {
  const options = { env: withoutOwnVariables(env), timeout: timeoutMs, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['-e', CHILD], options, (failure, output) => {
      if (failure?.killed) return reject(new Error(`the keychain did not answer within ${timeoutMs} ms`));
      const answer = parseReply(output);
      if (answer.error === undefined) resolve(answer);
      else reject(new Error(answer.error));
    });
    // If the child could not be started, the callback of `execFile` reports it.
    child.stdin?.on('error', () => {});
    child.stdin?.end(JSON.stringify({ ...message, service: SERVICE, parent: process.pid }));
  });
}

function parseReply(output: string): KeychainReply {
  try {
    return JSON.parse(output) as KeychainReply;
  } catch {
    return { error: 'the keychain process exited without a reply' };
  }
}

/** Removes our passphrase, and Node options that are meant for this process. */
function withoutOwnVariables(env: EnvironmentVariables): EnvironmentVariables {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith('SWITCHBOARD_') && name !== 'NODE_OPTIONS'),
  );
}

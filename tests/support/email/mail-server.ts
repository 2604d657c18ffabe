import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../free-port.ts';
import { makeCertificate } from './certificate.ts';
import { dovecotConfiguration, oauthConfiguration } from './dovecot-configuration.ts';
import { eximConfiguration } from './exim-configuration.ts';
import { MAIL_DOMAIN, type MailServerOptions, type MailServerPlan } from './mail-server-options.ts';
import { type Delivery, maildir, type StoredMail } from './maildir.ts';
import { type ServerProcess, serverProcess } from './server-process.ts';

export interface MailUser {
  name: string;
  address: string;
  password: string;
}

export interface MailServer {
  readonly host: string;
  /** IMAP with STARTTLS, and with TLS from the beginning; SMTP likewise. */
  readonly ports: { imap: number; imaps: number; smtp: number; smtps: number };
  /** The certificate to trust: its file and its content. */
  readonly ca: { path: string; pem: string };
  user(name: string): MailUser;
  /** As if the email had just arrived; IDLE reports it. */
  deliver(user: string, raw: string | Uint8Array, delivery?: Delivery): void;
  createFolder(user: string, folder: string): void;
  /** Gives the folder another UIDVALIDITY, as after a restored backup. */
  renumber(user: string, folder: string): void;
  /** The emails in a folder, INBOX unless told otherwise, oldest first. `raw` is one character per byte. */
  folderOf(user: string, folder?: string): readonly StoredMail[];
  /** Where the Maildir of a user is, to write many emails at once. */
  maildirOf(user: string): string;
  readonly imap: ServerProcess & {
    /** Closes the user's sessions, as an administrator would. */
    kick(user: string): void;
  };
  readonly smtp: ServerProcess & {
    /** Recipients that are refused for good (550) or for now (451). */
    reject(...users: string[]): void;
    defer(...users: string[]): void;
    /** Accepts all recipients again. */
    clear(): void;
    /** Resolves when everything that it has accepted is delivered. */
    delivered(): Promise<void>;
  };
  /** The end of both logs, for the message of a failed test. */
  log(): string;
  stop(): Promise<void>;
}

/** Mail belongs to a user that need not exist: Dovecot refuses to read mail as root. */
const MAIL_UID = 5_000;
const isRoot = process.getuid?.() === 0;
const ATTEMPTS = 5;
const PREFIX = 'switchboard-mail-';

/** Dovecot 2.3 and Exim 4 on loopback. Needs Linux. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(options);
    } catch (error) {
      // Another process may have taken a free port.
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function startOnce(options: MailServerOptions): Promise<MailServer> {
  const plan = await planOf(options);
  const { folder, host, ports } = plan;
  const both = (options.tls ?? 'both') === 'both';
  const exim = join(folder, 'bin', 'exim');
  const dovecotFile = join(folder, 'etc', 'dovecot.conf');
  const imap = serverProcess(['/usr/sbin/dovecot', '-F', '-c', dovecotFile], {
    host,
    ports: both ? [ports.imap, ports.imaps] : [ports.imap],
  });
  const smtp = serverProcess([exim, '-C', join(folder, 'etc', 'exim.conf'), '-bdf', '-q5s'], {
    host,
    ports: both ? [ports.smtp, ports.smtps] : [ports.smtp],
    ...(isRoot && { as: plan.uid }),
  });
  const stop = async () => {
    await Promise.all([imap.down(), smtp.down()]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    writeFiles(plan);
    await Promise.all([imap.up(), smtp.up()]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...access(plan),
    host,
    ports,
    imap: { ...imap, kick: (user: string) => administrate(folder, 'kick', userNamed(user).address) },
    smtp: { ...smtp, ...faults(folder) },
    stop,
  };
}

function access({ folder, uid, gid, options }: MailServerPlan) {
  const certificate = join(folder, 'etc', 'cert.pem');
  const maildirOf = (user: string) => join(folder, 'mail', user, 'Maildir');
  const mails = new Map(
    usersOf(options).map(({ name }) => [name, maildir(maildirOf(name), options.separator ?? '/', { uid, gid })]),
  );
  const mailOf = (user: string) => {
    const found = mails.get(user);
    if (!found) throw new Error(`the mail server has no user ${user}`);
    return found;
  };
  return {
    ca: { path: certificate, pem: readFileSync(certificate, 'utf8') },
    user: (name: string) => userNamed(name),
    deliver: (user: string, raw: string | Uint8Array, delivery: Delivery = {}) => mailOf(user).deliver(raw, delivery),
    createFolder: (user: string, name: string) => mailOf(user).create(name),
    renumber(user: string, name: string) {
      const validity = String(1_000_000_000 + Math.floor(Math.random() * 1_000_000_000));
      administrate(folder, 'mailbox', 'update', '-u', userNamed(user).address, '--uid-validity', validity, name);
    },
    folderOf: (user: string, name?: string) => mailOf(user).mails(name),
    maildirOf,
    log: () => ['dovecot', 'exim-main'].map((name) => endOf(join(folder, 'log', `${name}.log`))).join('\n'),
  };
}

function faults(folder: string) {
  const [rejected, deferred] = [join(folder, 'etc', 'rejected'), join(folder, 'etc', 'deferred')];
  const list =
    (file: string) =>
    (...users: string[]) =>
      writeFileSync(file, users.map((user) => `${user}: x\n`).join(''));
  return {
    reject: list(rejected),
    defer: list(deferred),
    clear: () => {
      for (const file of [rejected, deferred]) writeFileSync(file, '');
    },
    async delivered() {
      const queue = join(folder, 'spool', 'input');
      while (existsSync(queue) && readdirSync(queue).some((name) => name.endsWith('-H'))) await delay(10);
    },
  };
}

function administrate(folder: string, ...command: readonly string[]): void {
  execFileSync('doveadm', ['-c', join(folder, 'etc', 'dovecot.conf'), ...command], { stdio: 'pipe' });
}

async function planOf(options: MailServerOptions): Promise<MailServerPlan> {
  removeAbandoned();
  const [imap, imaps, smtp, smtps] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  return {
    // The temporary folder of a test run is closed to other users, and the mail belongs to one.
    folder: mkdtempSync(join(isRoot ? '/tmp' : tmpdir(), `${PREFIX}${process.pid}-`)),
    // Connections from the address they are made to count as safe without TLS.
    host: options.tls === 'starttls' ? '127.0.0.2' : '127.0.0.1',
    uid: isRoot ? MAIL_UID : (process.getuid?.() ?? MAIL_UID),
    gid: isRoot ? MAIL_UID : (process.getgid?.() ?? MAIL_UID),
    ports: { imap, imaps, smtp, smtps },
    options,
  };
}

/** Folders of test processes that were killed. */
function removeAbandoned(): void {
  if (!isRoot) return;
  for (const name of readdirSync('/tmp').filter((each) => each.startsWith(PREFIX))) {
    const pid = Number(name.slice(PREFIX.length).split('-')[0]);
    try {
      process.kill(pid, 0);
    } catch {
      rmSync(join('/tmp', name), { recursive: true, force: true });
    }
  }
}

function writeFiles(plan: MailServerPlan): void {
  const { folder, uid, gid, options } = plan;
  const etc = join(folder, 'etc');
  chmodSync(folder, 0o755);
  for (const name of ['mail', 'run', 'spool', 'log', 'etc', 'bin']) mkdirSync(join(folder, name));
  makeCertificate(etc, options.certificate);
  // A copy without the setuid bit never needs root.
  copyFileSync('/usr/sbin/exim4', join(folder, 'bin', 'exim'));
  chmodSync(join(folder, 'bin', 'exim'), 0o755);
  const users = usersOf(options);
  const files = {
    'dovecot.conf': dovecotConfiguration(plan),
    'exim.conf': eximConfiguration(plan),
    'oauth.conf': options.oauth ? oauthConfiguration(options.oauth.introspectionUrl) : '',
    users: users.map(({ address, password }) => `${address}:{PLAIN}${password}::::::\n`).join(''),
    'exim-passwords': users.map(({ address, password }) => `${address}: ${password}\n`).join(''),
    rejected: '',
    deferred: '',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(etc, name), text);
  if (!isRoot) return;
  for (const name of ['mail', 'run', 'spool', 'log', ...readdirSync(etc).map((file) => join('etc', file))]) {
    chownSync(join(folder, name), uid, gid);
  }
}

function usersOf({ users = ['alice', 'bob'] }: MailServerOptions): MailUser[] {
  return users.map(userNamed);
}

function userNamed(name: string): MailUser {
  return { name, address: `${name}@${MAIL_DOMAIN}`, password: `pw-${name}` };
}

function endOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(-4_000);
  } catch {
    return '';
  }
}

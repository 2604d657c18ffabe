import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MailServerOptions } from './mail-server-options.ts';

/** A self-signed certificate with its key, in `folder`. */
export function makeCertificate(folder: string, kind: MailServerOptions['certificate'] = 'valid'): void {
  const [key, request, certificate] = ['key.pem', 'request.pem', 'cert.pem'].map((name) => join(folder, name));
  const names = kind === 'wrong-name' ? 'DNS:elsewhere.test' : 'DNS:localhost,IP:127.0.0.1,IP:127.0.0.2';
  const extensions = join(folder, 'extensions');
  writeFileSync(extensions, `subjectAltName=${names}\n`);
  const how = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=a test'];
  run('req', '-new', ...how, '-keyout', key, '-out', request);
  // `req -x509` refuses to make an expired one.
  const days = kind === 'expired' ? '-1' : '2';
  run('x509', '-req', '-in', request, '-signkey', key, '-days', days, '-extfile', extensions, '-out', certificate);
}

function run(...args: readonly (string | undefined)[]): void {
  execFileSync(
    'openssl',
    args.filter((each) => each !== undefined),
    { stdio: 'pipe' },
  );
}

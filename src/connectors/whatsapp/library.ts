import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { homeOf } from '../../lib/home-path.ts';
import { rejected } from '../outcome-error.ts';

export type Library = typeof import('baileys');

/** The version that the tests run with. */
const VERSION = '7.0.0-rc14';
const MAJOR = 7;

/**
 * libsignal prints whole sessions, private keys included, after these texts. Standard output may belong to a client, and
 * standard error is kept in a log.
 */
const PRINTED_BY_LIBSIGNAL =
  /^(?:(?:Closing|Opening|Migrating) session|Removing old closed session|Session (?:already|error)|Closing (?:open|stale open) session|Decrypted message with closed session|Failed to decrypt message with any known session|V1 session storage|Unhandled bucket type|WARNING: Expected pubkey)/;

let isSilenced = false;

/** The folder in the home where the user installs packages that Switchboard does not contain. */
function packageFolder(env: NodeJS.ProcessEnv): string {
  return join(homeOf(env), 'packages');
}

/** Loads the library from where Switchboard is installed, or from the home. */
export async function loadLibrary({ env = process.env, program = import.meta.url } = {}): Promise<Library> {
  const folder = packageFolder(env);
  const found = [program, join(folder, 'package.json')].map(entryFrom).find((path) => path !== undefined);
  const command = `npm install --ignore-scripts --prefix ${folder} baileys@${VERSION}`;
  if (found === undefined) {
    throw rejected(`WhatsApp needs the package baileys, which is not installed. Install it with: ${command}`);
  }
  if (majorOf(found) !== MAJOR) {
    throw rejected(`The installed version of the package baileys is not supported. Replace it with: ${command}`);
  }
  silenceLibsignal();
  return (await import(pathToFileURL(found).href)) as Library;
}

function entryFrom(place: string): string | undefined {
  try {
    return createRequire(place).resolve('baileys');
  } catch {
    return undefined;
  }
}

function majorOf(entry: string): number {
  try {
    const manifest: { version?: string } = JSON.parse(readFileSync(join(dirname(entry), '..', 'package.json'), 'utf8'));
    return Number.parseInt(manifest.version ?? '', 10);
  } catch {
    return Number.NaN;
  }
}

function silenceLibsignal(): void {
  if (isSilenced) return;
  isSilenced = true;
  const { console } = globalThis;
  for (const method of ['info', 'warn', 'error'] as const) {
    const print = console[method];
    console[method] = (...values: unknown[]) => {
      if (!PRINTED_BY_LIBSIGNAL.test(String(values[0]))) print.apply(console, values);
    };
  }
}

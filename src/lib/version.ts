import { readFileSync } from 'node:fs';

/** Put in by the build; not there when the source runs as it is. */
declare const __VERSION__: string;

export function version(): string {
  return typeof __VERSION__ === 'string' ? __VERSION__ : versionOfCheckout();
}

function versionOfCheckout(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

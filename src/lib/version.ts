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

/** Whether version `a` is newer than `b`: numbers compared part by part. */
export function isNewer(a: string, b: string): boolean {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  const at = left.findIndex((part, index) => part !== (right[index] ?? 0));
  return at !== -1 && (left[at] ?? 0) > (right[at] ?? 0);
}

function numbersOf(text: string): number[] {
  return (text.split('-')[0] ?? '').split('.').map(Number);
}

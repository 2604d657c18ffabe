import { AppError } from '../domain/errors.ts';

/** `${secret:NAME}` and `${env:NAME}` in a value of the configuration. */
const REFERENCE = /\$\{(secret|env):([^}]*)\}/g;
/** Maximum length of a reference in an error message. */
const MAX_SHOWN_LENGTH = 100;

/** Looks up a name. Undefined and an empty string both count as missing. */
export interface Lookups {
  secret(name: string): Promise<string | undefined>;
  env(name: string): Promise<string | undefined>;
}

export async function resolveReferences(text: string, lookups: Lookups): Promise<string> {
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const [reference, kind, name = ''] of text.matchAll(REFERENCE)) {
    if (values.has(reference) || missing.includes(reference)) continue;
    const value = kind === 'secret' ? await lookups.secret(name) : await lookups.env(name);
    if (value) values.set(reference, value);
    else missing.push(reference);
  }
  if (missing.length > 0) throw unresolved(missing);
  return text.replace(REFERENCE, (reference) => values.get(reference) ?? reference);
}

function unresolved(missing: readonly string[]): AppError {
  const names = missing.map((reference) => reference.slice(0, MAX_SHOWN_LENGTH)).join(', ');
  const hint = missing.some((reference) => reference.startsWith('${secret:'))
    ? 'Store it with: switchboard secret set NAME'
    : 'Set it in the environment Switchboard is started with.';
  return new AppError('VALIDATION_ERROR', `No value found for ${names}.`, { hint });
}

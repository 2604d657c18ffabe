import { AppError } from '../../domain/errors.ts';

const MAX_LENGTH = 1_000_000;

/** Code within a fence that it cannot close. */
export function codeBlock(code: string, language = ''): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const name = /^[\w#+.-]{1,40}$/.test(language) ? language : '';
  return `${fence}${name}\n${code}\n${fence}`;
}

/** An argument of a prompt that must say something. */
export function required(args: Record<string, string>, name: string): string {
  const value = args[name] ?? '';
  if (value.trim() === '') throw new AppError('VALIDATION_ERROR', `${name} is required.`, { field: name });
  if (value.length > MAX_LENGTH)
    throw new AppError('TOO_LARGE', `${name} has more than ${MAX_LENGTH} characters.`, { field: name });
  return value;
}

export const LANGUAGE = { name: 'language', description: 'Programming language.', required: false } as const;

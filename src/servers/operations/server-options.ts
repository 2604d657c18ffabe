import { resolve } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { BEARER_SECRET } from '../config/define-server.ts';
import { HEADER_NAME, type ServerInput, VARIABLE_NAME } from '../config/server-input.ts';

/** One, or many: a value with a comma in it stays whole. */
const many = () => z.union([z.string(), z.array(z.string())]).optional();

const milliseconds = () => z.int().min(1).max(86_400_000).optional();

/** Options that `servers add` and `servers update` have in common. */
export const serverOptions = {
  args: z.array(z.string()).optional().describe('Arguments of the server, after `--`.'),
  env: many().describe('Environment variable NAME=VALUE.'),
  header: many().describe("HTTP header 'NAME: VALUE' of a remote server."),
  cwd: z.string().optional().meta({ format: 'path', description: 'Working directory of its process.' }),
  bearer: z
    .boolean()
    .default(false)
    .describe(`Sign in with a bearer token, stored by \`servers secret NAME ${BEARER_SECRET}\`.`),
  oauth: z.boolean().default(false).describe('Sign in with OAuth, by `servers login NAME`.'),
  client_id: z.string().optional().describe('Id of your OAuth client, where the server does not register one.'),
  allow: many().describe('Offer only these tools; patterns with `*`.'),
  deny: many().describe('Do not offer these tools; patterns with `*`.'),
  handshake_timeout_ms: milliseconds().describe('Timeout of its start, in ms.'),
  call_timeout_ms: milliseconds().describe('Timeout of a call without progress, in ms.'),
  max_result_bytes: z.int().min(1_024).max(268_435_456).optional().describe('Largest result that is passed on.'),
};

const Given = z.object(serverOptions);
type Given = z.output<typeof Given>;

type Limits = Pick<ServerInput, 'cwd' | 'auth' | 'handshake_timeout_ms' | 'call_timeout_ms' | 'max_result_bytes'>;

/** The options that were given and mean the same for a new server and for a known one. Paths are relative to `cwd`. */
export function limitsOf(given: Given, cwd: string): Limits {
  const { handshake_timeout_ms: handshake, call_timeout_ms: call, max_result_bytes: bytes } = given;
  return {
    ...(given.cwd === undefined ? {} : { cwd: resolve(cwd, given.cwd) }),
    ...authOf(given),
    ...(handshake === undefined ? {} : { handshake_timeout_ms: handshake }),
    ...(call === undefined ? {} : { call_timeout_ms: call }),
    ...(bytes === undefined ? {} : { max_result_bytes: bytes }),
  };
}

function authOf({ bearer, oauth, client_id: clientId }: Given): Pick<ServerInput, 'auth'> {
  if (bearer) return { auth: { type: 'bearer' } };
  if (!oauth && clientId === undefined) return {};
  return { auth: { type: 'oauth', ...(clientId === undefined ? {} : { client_id: clientId }) } };
}

export function variablesOf({ env }: Given): Record<string, string> {
  return pairsOf(env, { field: 'env', separator: '=', form: 'NAME=VALUE', name: VARIABLE_NAME });
}

export function headersOf({ header }: Given): Record<string, string> {
  return pairsOf(header, { field: 'header', separator: ':', form: "'NAME: VALUE'", name: HEADER_NAME });
}

interface Pairs {
  field: string;
  separator: string;
  form: string;
  name: RegExp;
}

function pairsOf(
  given: string | string[] | undefined,
  { field, separator, form, name }: Pairs,
): Record<string, string> {
  const entries = [given ?? []].flat().map((text) => {
    const at = text.indexOf(separator);
    const key = text.slice(0, at).trim();
    if (at < 1) throw new AppError('VALIDATION_ERROR', `--${field} must be ${form}.`, { field });
    if (!name.test(key))
      throw new AppError('VALIDATION_ERROR', `--${field} ${form}: the name is not valid.`, { field });
    return [key, separator === ':' ? text.slice(at + 1).trim() : text.slice(at + 1)] as const;
  });
  return Object.fromEntries(entries);
}

/** Patterns of tools; an empty text removes the list. */
export function patternsOf(given: string | string[]): string[] {
  return [given].flat().filter((pattern) => pattern !== '');
}

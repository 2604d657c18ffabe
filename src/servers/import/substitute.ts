import { basename } from 'node:path';
import type { DraftInput } from '../draft/draft.ts';
import type { Piece } from '../draft/draft-places.ts';
import { isSecretName } from '../draft/secret-names.ts';

/** What references in a configuration are replaced by. */
export interface SubstitutionContext {
  env: Readonly<Record<string, string | undefined>>;
  userHome: string;
  /** Unknown for files that belong to no folder. */
  workspaceFolder?: string | undefined;
  /** The `inputs` of VS Code, by id. */
  inputs: ReadonlyMap<string, DraftInput | 'command'>;
}

/** A server that cannot be imported, and why; the text is ours. */
export class NotImportable extends Error {
  override readonly name = 'NotImportable';
}

export interface Substituted {
  pieces: readonly Piece[];
  /** Inputs that the text needs. */
  inputs: readonly DraftInput[];
  /** The text has the value of a variable that is probably a secret. */
  hasSecret: boolean;
}

const MAX_REFERENCES = 100;
const MAX_DEPTH = 5;
const NAME = /^[A-Za-z_]\w{0,199}$/;

/**
 * Replaces `${env:X}`, `${X}`, `${X:-default}`, `${input:id}` and the names of folders. A variable that is not set, or empty,
 * becomes an input: the server would otherwise get an empty value or the text of the reference.
 */
export function substitute(text: string, context: SubstitutionContext, depth = 0): Substituted {
  const pieces: Piece[] = [];
  const inputs: DraftInput[] = [];
  let hasSecret = false;
  let rest = 0;
  for (const { start, end, body } of referencesIn(text)) {
    const found = resolve(body, context, depth);
    pieces.push(text.slice(rest, start), ...found.pieces);
    inputs.push(...found.inputs);
    hasSecret ||= found.hasSecret;
    rest = end;
  }
  pieces.push(text.slice(rest));
  return { pieces: joined(pieces), inputs, hasSecret };
}

/** The whole text, where no input is in it. */
export function plainText(pieces: readonly Piece[]): string | undefined {
  return pieces.every((piece) => typeof piece === 'string') ? pieces.join('') : undefined;
}

function resolve(body: string, context: SubstitutionContext, depth: number): Substituted {
  const folder = folderOf(body, context);
  if (folder !== undefined) return folder;
  if (body.startsWith('input:')) return inputFor(body.slice('input:'.length), context);
  const [, name = body, fallback] = /^([^:]*):-(.*)$/s.exec(body.replace(/^env:/, '')) ?? [];
  const variable = name.replace(/^env:/, '');
  // Such as `${command:…}` and `${config:…}`.
  if (!NAME.test(variable)) throw new NotImportable('it has a reference that is not supported');
  const value = Object.hasOwn(context.env, variable) ? context.env[variable] : undefined;
  if (value) return { pieces: [value], inputs: [], hasSecret: isSecretName(variable) };
  if (fallback === undefined || fallback === '') return asInput(unset(variable));
  if (depth >= MAX_DEPTH) throw new NotImportable('its references are nested too deep');
  return substitute(fallback, context, depth + 1);
}

function folderOf(body: string, { userHome, workspaceFolder }: SubstitutionContext): Substituted | undefined {
  switch (body) {
    case 'userHome':
      return known(userHome);
    case '/':
    case 'pathSeparator':
      return known('/');
    case 'workspaceFolder':
      return workspaceFolder === undefined ? asInput(unset(body)) : known(workspaceFolder);
    case 'workspaceFolderBasename':
      return workspaceFolder === undefined ? asInput(unset(body)) : known(basename(workspaceFolder));
    default:
      return undefined;
  }
}

function inputFor(id: string, { inputs }: SubstitutionContext): Substituted {
  const input = inputs.get(id);
  if (input === 'command') throw new NotImportable('it uses an input that is a command, which is never run');
  if (input === undefined) throw new NotImportable('it refers to an input that is not defined');
  return asInput(input);
}

function unset(key: string): DraftInput {
  return { key, kind: 'variable', required: true, secret: isSecretName(key) };
}

function known(text: string): Substituted {
  return { pieces: [text], inputs: [], hasSecret: false };
}

function asInput(input: DraftInput): Substituted {
  return { pieces: [{ input: input.key }], inputs: [input], hasSecret: input.secret };
}

/** `${…}`, with the braces of a default inside it. A dollar sign without a closed brace is text. */
function* referencesIn(text: string): Generator<{ start: number; end: number; body: string }> {
  let count = 0;
  for (let start = text.indexOf('${'); start >= 0; start = text.indexOf('${', start)) {
    const end = closingBrace(text, start + 2);
    if (end === undefined) return;
    count += 1;
    if (count > MAX_REFERENCES) throw new NotImportable('it has too many references');
    yield { start, end: end + 1, body: text.slice(start + 2, end) };
    start = end + 1;
  }
}

function closingBrace(text: string, from: number): number | undefined {
  let open = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '{') open += 1;
    else if (text[at] === '}') open -= 1;
    if (open === 0) return at;
  }
  return undefined;
}

function joined(pieces: readonly Piece[]): readonly Piece[] {
  const result: Piece[] = [];
  for (const piece of pieces) {
    const last = result.at(-1);
    if (piece === '') continue;
    if (typeof piece === 'string' && typeof last === 'string') result[result.length - 1] = last + piece;
    else result.push(piece);
  }
  return result;
}

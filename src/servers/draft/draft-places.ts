import { AppError } from '../../domain/errors.ts';
import type { ConfiguredValue, ServerConfig } from '../../domain/server-config.ts';
import type { DraftInput, ServerDraft } from './draft.ts';
import { listOf } from './draft-answers.ts';
import { queryInUrl, type UrlValue, urlFrom } from './draft-url.ts';

/** A text with answers in it. */
export type Piece = string | { input: string };

/** Where a value of a server goes. Arguments are in the order of their places. */
export type DraftPlace =
  | { in: 'env' | 'header'; name: string; text: readonly Piece[]; required?: boolean; description?: string }
  | { in: 'args' | 'runtime_args'; flag?: string; text: readonly Piece[]; repeated?: boolean; isSwitch?: boolean }
  | { in: 'url' | 'command' | 'cwd'; text: readonly Piece[] }
  /** Needs a place `url`. */
  | { in: 'query'; name: string; text: readonly Piece[] };

type PlaceIn<K, P = DraftPlace> = P extends { in: infer I } ? ([I & K] extends [never] ? never : P) : never;

/** The inputs of a draft by key, each with its answer or default. */
export type Filled = Map<string, { input: DraftInput; value?: string }>;

type Placed = Pick<ServerDraft, 'package' | 'transport'> &
  Partial<Pick<ServerConfig, 'args' | 'env_vars' | 'headers' | 'cwd'>> &
  Pick<ServerDraft, 'secrets'>;

/** The parts of a draft that its places decide. */
export function placeValues(draft: ServerDraft, places: readonly DraftPlace[], values: Filled): Placed {
  const of = <K extends DraftPlace['in']>(...kinds: K[]) =>
    places.filter((place): place is PlaceIn<K> => (kinds as string[]).includes(place.in));
  const [env, headers] = [of('env'), of('header')];
  const [args, runtimeArgs] = [of('args'), of('runtime_args')];
  const [cwd] = of('cwd');
  const address = addressOf(draft, of('url')[0], of('query'), values);
  const command = of('command')[0];
  const identifier = command === undefined ? draft.package.identifier : preview(command.text, values);
  return {
    package: {
      ...draft.package,
      identifier: draft.package.type === 'http' && address.url !== undefined ? address.url : identifier,
      ...(runtimeArgs.length > 0 ? { runtime_args: runtimeArgs.flatMap((one) => argumentsOf(one, values)) } : {}),
    },
    transport:
      draft.transport.type === 'stdio' || address.url === undefined
        ? draft.transport
        : { ...draft.transport, url: address.url },
    ...(args.length > 0 ? { args: args.flatMap((one) => argumentsOf(one, values)) } : {}),
    ...(env.length > 0 ? { env_vars: { ...draft.env_vars, ...configuredValues(env, values) } } : {}),
    ...(headers.length > 0 ? { headers: { ...draft.headers, ...configuredValues(headers, values) } } : {}),
    ...(cwd === undefined ? {} : { cwd: preview(cwd.text, values) }),
    ...(Object.keys(address.secrets).length > 0 ? { secrets: { ...draft.secrets, ...address.secrets } } : {}),
  };
}

/** An optional variable without a value is left out; a required one stays, without one. */
function configuredValues(
  places: readonly PlaceIn<'env' | 'header'>[],
  values: Filled,
): Readonly<Record<string, ConfiguredValue>> {
  const entries = places.flatMap((place): [string, ConfiguredValue][] => {
    const value = textOf(place.text, values);
    if (value === undefined && !place.required) return [];
    // Defaults are not checked as answers are.
    if (value !== undefined && (place.in === 'header' ? /[\r\n\0]/ : /\0/).test(value)) throw unusable(place.name);
    const { description, required } = place;
    const configured: ConfiguredValue = {
      is_secret: inputsIn(place.text, values).some(({ input }) => input.secret),
      ...(value === undefined ? {} : { value }),
      ...(required ? { required } : {}),
      ...(description === undefined ? {} : { description }),
    };
    return [[place.name, configured]];
  });
  return Object.fromEntries(entries);
}

/** Our one rule for named arguments: the name and the value are two arguments, unless the name ends in `=`. */
function argumentsOf(place: PlaceIn<'args' | 'runtime_args'>, values: Filled): readonly string[] {
  const { flag } = place;
  const texts = place.repeated ? repeatedTexts(place.text, values) : [textOf(place.text, values)];
  return texts.flatMap((text) => {
    if (text === undefined) return [];
    if (text.includes('\0')) throw unusable('an argument');
    if (flag === undefined) return [text];
    if (place.isSwitch) return text === 'true' ? [flag] : [];
    return flag.endsWith('=') ? [`${flag}${text}`] : [flag, text];
  });
}

/** One text for each value; an input with a single value has the same in all of them. */
function repeatedTexts(text: readonly Piece[], values: Filled): readonly (string | undefined)[] {
  const lists = new Map(
    inputsIn(text, values).map(({ input, value }) => [input.key, value === undefined ? [] : listOf(value)]),
  );
  if (lists.size === 0) return [textOf(text, values)];
  const count = Math.max(...[...lists.values()].map((list) => list.length));
  for (const [key, list] of lists) {
    if (list.length === 0 || list.length === 1 || list.length === count) continue;
    throw new AppError('VALIDATION_ERROR', `The value of ${key} has ${list.length} parts instead of ${count}.`, {
      field: key,
    });
  }
  return Array.from({ length: count }, (_, index) => {
    const parts = text.map((piece) => {
      if (typeof piece === 'string') return piece;
      const list = lists.get(piece.input) ?? [];
      return list.length === 1 ? list[0] : list[index];
    });
    return parts.includes(undefined) ? undefined : parts.join('');
  });
}

function addressOf(
  draft: ServerDraft,
  place: PlaceIn<'url'> | undefined,
  query: readonly PlaceIn<'query'>[],
  values: Filled,
): { url?: string; secrets: Record<string, string> } {
  if (draft.transport.type === 'stdio' || place === undefined) return { secrets: {} };
  const secrets = new Map<string, string>();
  const partOf = (piece: Piece): UrlValue => {
    if (typeof piece === 'string') return { text: piece };
    const known = values.get(piece.input);
    if (known?.value === undefined) return { key: piece.input };
    if (!known.input.secret) return { key: piece.input, answer: known.value };
    const name = piece.input.replace(/\W/g, '_');
    secrets.set(name, known.value);
    return { key: piece.input, reference: `\${secret:${name}}` };
  };
  const base = urlFrom(place.text.map(partOf));
  const url = query.reduce((address, { name, text }) => queryInUrl(address, name, text.map(partOf)), base);
  return { url, secrets: Object.fromEntries(secrets) };
}

function unusable(what: string): AppError {
  return new AppError('VALIDATION_ERROR', `The value of ${what} contains a character that is not possible there.`);
}

function textOf(text: readonly Piece[], values: Filled): string | undefined {
  const parts = text.map((piece) => (typeof piece === 'string' ? piece : values.get(piece.input)?.value));
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** What is known of a text, with `{key}` for what is not. */
function preview(text: readonly Piece[], values: Filled): string {
  return text
    .map((piece) => (typeof piece === 'string' ? piece : (values.get(piece.input)?.value ?? `{${piece.input}}`)))
    .join('');
}

function inputsIn(text: readonly Piece[], values: Filled) {
  return text.flatMap((piece) => {
    const known = typeof piece === 'string' ? undefined : values.get(piece.input);
    return known === undefined ? [] : [known];
  });
}

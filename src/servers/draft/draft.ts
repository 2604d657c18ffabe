import { AppError } from '../../domain/errors.ts';
import type { ServerConfig } from '../../domain/server-config.ts';
import { checkedAnswers } from './draft-answers.ts';
import { type DraftPlace, type Filled, placeValues } from './draft-places.ts';

/** A value that a server needs and its description does not give. */
export interface DraftInput {
  /** What the answer is called: the name of a variable, a header, an argument. Letters, digits, `_`, `-` and `.`. */
  key: string;
  kind: 'env' | 'header' | 'argument' | 'config' | 'variable';
  description?: string;
  required: boolean;
  secret: boolean;
  default?: string;
  choices?: readonly string[];
  format?: 'string' | 'number' | 'boolean' | 'filepath';
  /** Several values, separated by commas or as a JSON array of strings. */
  repeated?: boolean;
}

/**
 * A server that is not configured yet. Secrets are in it as they were typed: a variable or header with `is_secret` has its
 * `value`, and `secrets` has the values that a URL refers to by `${secret:NAME}`. A draft is kept in memory only; whoever creates
 * the server moves both into the secrets store and saves the rest.
 */
export interface ServerDraft
  extends Partial<Omit<ServerConfig, 'id' | 'name' | 'package' | 'transport'>>,
    Pick<ServerConfig, 'name' | 'package' | 'transport'> {
  secrets?: Readonly<Record<string, string>>;
  /** What has not been answered yet. */
  inputs: readonly DraftInput[];
  template: DraftTemplate;
}

/** Where answers go. */
export interface DraftTemplate {
  inputs: readonly DraftInput[];
  places: readonly DraftPlace[];
  answers: Readonly<Record<string, string>>;
}

type DraftFields = Omit<ServerDraft, 'inputs' | 'template'>;

/** A draft whose values are in `places`, filled with the defaults of its inputs. */
export function createDraft(
  fields: DraftFields,
  { inputs = [], places = [] }: { inputs?: readonly DraftInput[]; places?: readonly DraftPlace[] } = {},
): ServerDraft {
  return filled({ ...fields, inputs, template: { inputs, places, answers: {} } });
}

/** The draft with these answers in their places. An empty answer is none; one that does not fit is a VALIDATION_ERROR. */
export function fill(draft: ServerDraft, answers: Readonly<Record<string, string>>): ServerDraft {
  const { template } = draft;
  const known = { ...template.answers, ...checkedAnswers(template.inputs, answers) };
  return filled({ ...draft, template: { ...template, answers: known } });
}

/** Required inputs without an answer and without a default. */
export function missing(draft: ServerDraft): readonly DraftInput[] {
  return draft.inputs.filter((input) => input.required && input.default === undefined);
}

/** Throws a VALIDATION_ERROR where something is missing; the hint names it. */
export function checkComplete(draft: ServerDraft): void {
  const absent = missing(draft);
  if (absent.length === 0) return;
  const isCredential = ({ kind, secret }: DraftInput) => secret || kind === 'env' || kind === 'header';
  const what = absent.some(isCredential) ? 'credentials' : 'values';
  throw new AppError('VALIDATION_ERROR', `Missing required ${what}`, {
    field: what === 'credentials' ? 'env_vars' : 'args',
    hint: `Give ${absent.map(({ key }) => key).join(', ')}.`,
  });
}

/** How the server is probably signed in to, judged by its variables. */
export function suggestedAuth(draft: ServerDraft): 'none' | 'api_key' | 'oauth' {
  const names = new Set([...draft.template.inputs.map(({ key }) => key), ...Object.keys(draft.env_vars ?? {})]);
  const has = (ending: RegExp) => [...names].some((name) => ending.test(name.toUpperCase()));
  if (has(/CLIENT_ID$/) && has(/CLIENT_SECRET$/)) return 'oauth';
  const values = [...Object.values(draft.env_vars ?? {}), ...Object.values(draft.headers ?? {})];
  const isSecret = draft.template.inputs.some(({ secret }) => secret) || values.some(({ is_secret }) => is_secret);
  return isSecret ? 'api_key' : 'none';
}

function filled(draft: ServerDraft): ServerDraft {
  const { inputs, places, answers } = draft.template;
  const isAnswered = (key: string) => Object.hasOwn(answers, key);
  const values: Filled = new Map();
  for (const input of inputs) {
    const value = isAnswered(input.key) ? answers[input.key] : input.default;
    values.set(input.key, { input, ...(value === undefined ? {} : { value }) });
  }
  return {
    ...draft,
    ...placeValues(draft, places, values),
    inputs: inputs.filter(({ key }) => !isAnswered(key)),
  };
}

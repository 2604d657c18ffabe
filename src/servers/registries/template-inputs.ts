import type { DraftInput } from '../draft/draft.ts';
import type { Piece } from '../draft/draft-places.ts';
import { isSecretHeader } from '../draft/secret-names.ts';
import type { OfficialInput } from './official-schema.ts';
import { inputKey } from './texts.ts';

type Owner = OfficialInput & { variables?: Readonly<Record<string, OfficialInput>> | undefined };

/** Collects the inputs of a package or a remote while its texts are read. */
export function collectInputs() {
  const inputs: DraftInput[] = [];

  /** Two variables of the same name are one input only if they are described alike. */
  function add(input: DraftInput, owner: string): Piece {
    const same = inputs.find(({ key }) => key === input.key);
    if (same === undefined) inputs.push(input);
    else if (JSON.stringify(same) !== JSON.stringify(input)) {
      const key = inputKey(`${owner}.${input.key}`);
      if (!inputs.some((one) => one.key === key)) inputs.push({ ...input, key });
      return { input: key };
    }
    return { input: input.key };
  }

  /**
   * The text of a value: fixed, with variables, or one that the user gives. `name` is what it is the value of, and what
   * the answer is called.
   */
  function textFor(owner: Owner, name: string, kind: DraftInput['kind']): readonly Piece[] {
    const key = inputKey(name);
    if (owner.value === undefined) return [add(toInput(key, kind, owner), key)];
    const variables = new Map(Object.entries(owner.variables ?? {}));
    return piecesOf(owner.value).map((piece) => {
      if (typeof piece === 'string') return piece;
      const variable = variables.get(piece.input);
      // The registry's rule: an unknown variable stays as it is.
      if (variable === undefined) return `{${piece.input}}`;
      if (variable.value !== undefined) return variable.value;
      return add(toInput(inputKey(piece.input), kind, variable, { ...owner, name }), key);
    });
  }

  return { inputs, add, textFor };
}

/** A text with `{name}` in it. */
export function piecesOf(text: string): readonly Piece[] {
  return text
    .split(/(\{[\w.-]{1,100}\})/)
    .filter((part) => part !== '')
    .map((part) => (/^\{[\w.-]+\}$/.test(part) ? { input: part.slice(1, -1) } : part));
}

/** `within` is the value that a variable is a part of. */
export function toInput(
  key: string,
  kind: DraftInput['kind'],
  input: OfficialInput,
  within: OfficialInput & { name?: string } = {},
): DraftInput {
  const { description, choices, format } = input;
  const isRepeated = input.isRepeated ?? within.isRepeated ?? false;
  return {
    key,
    kind,
    ...(description ? { description } : {}),
    required: input.isRequired ?? within.isRequired ?? false,
    secret: input.isSecret ?? within.isSecret ?? guessSecret(kind, key, within.name),
    ...(input.default === undefined || input.default === '' ? {} : { default: input.default }),
    ...(choices && choices.length > 0 ? { choices } : {}),
    ...(format && format !== 'string' ? { format } : {}),
    ...(isRepeated ? { repeated: true } : {}),
  };
}

function guessSecret(kind: DraftInput['kind'], ...names: (string | undefined)[]): boolean {
  return (kind === 'env' || kind === 'header') && names.some((name) => name !== undefined && isSecretHeader(name));
}

import type { DraftInput } from './draft.ts';
import type { Piece } from './draft-places.ts';
import { isSecretName, isSecretValue } from './secret-names.ts';

/** A value in a query, after its name. */
const VALUE = /((?<=[?&][^=&#]{1,200}=)[^&#]+)/;

/** Secrets in the query of an address become inputs with their answers, so that the address only refers to them. */
export function withoutQuerySecrets(address: readonly Piece[]): {
  pieces: readonly Piece[];
  inputs: readonly DraftInput[];
  answers: Readonly<Record<string, string>>;
} {
  const answers = new Map<string, string>();
  const pieces = address.flatMap((piece, index): readonly Piece[] => {
    if (typeof piece !== 'string') return [piece];
    const parts = piece.split(VALUE);
    return parts.flatMap((part, at): Piece[] => {
      const name = at % 2 === 0 ? undefined : /[?&]([^=&#]+)=$/.exec(parts[at - 1] ?? '')?.[1];
      if (name === undefined) return part === '' ? [] : [part];
      const value = decoded(part);
      // An input follows within the same value.
      const isPart = at === parts.length - 2 && parts[at + 1] === '' && address[index + 1] !== undefined;
      if (isPart || !(isSecretName(name) || isSecretValue(value))) return [part];
      const key = `query_${name.replace(/[^\w.-]+/g, '_').slice(0, 80)}`;
      answers.set(key, value);
      return [{ input: key }];
    });
  });
  return {
    pieces,
    inputs: [...answers.keys()].map((key) => ({ key, kind: 'variable', required: true, secret: true })),
    answers: Object.fromEntries(answers),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

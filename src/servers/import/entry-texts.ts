import type { ConfiguredValue } from '../../domain/server-config.ts';
import type { DraftInput } from '../draft/draft.ts';
import type { DraftPlace, Piece } from '../draft/draft-places.ts';
import { isSecretValue } from '../draft/secret-names.ts';
import { NotImportable, plainText, type SubstitutionContext, substitute } from './substitute.ts';

/** Reads the texts of one entry, and collects the inputs and places that it needs. */
export function entryTexts(context: SubstitutionContext) {
  const inputs = new Map<string, DraftInput>();
  const places: DraftPlace[] = [];

  function add(input: DraftInput, kind: DraftInput['kind'], isSecret: boolean): void {
    const known = inputs.get(input.key);
    inputs.set(input.key, {
      ...input,
      kind: known?.kind ?? kind,
      secret: input.secret || isSecret || known?.secret === true,
    });
  }

  function read(text: string, kind: DraftInput['kind'], isSecret = false) {
    if (text.includes('\0')) throw new NotImportable('it has a NUL character in a value');
    const found = substitute(text, context);
    for (const input of found.inputs) add(input, kind, isSecret);
    return found;
  }

  return {
    inputs,
    places,
    add,
    read,

    hasSecret(pieces: readonly Piece[]): boolean {
      return pieces.some((piece) => typeof piece !== 'string' && inputs.get(piece.input)?.secret === true);
    },

    /** A text that goes to one place: as it is, or as a place of the draft where inputs are in it. */
    single(text: string, place: 'command' | 'cwd'): string {
      const { pieces } = read(text, 'variable');
      const plain = plainText(pieces);
      if (plain !== undefined) return plain;
      places.push({ in: place, text: pieces });
      return text;
    },

    /** A variable or a header. Returns its value, unless inputs are in it. */
    value(place: 'env' | 'header', name: string, text: string, isSecret: boolean): ConfiguredValue | undefined {
      const { pieces, hasSecret } = read(text, place, isSecret);
      const value = plainText(pieces);
      if (place === 'header' && /[\r\n]/.test(value ?? '')) throw new NotImportable('one of its headers is malformed');
      if (value !== undefined) return { value, is_secret: isSecret || hasSecret || isSecretValue(value) };
      places.push({ in: place, name, text: pieces, required: true });
      return undefined;
    },
  };
}

/** A text with inputs as one string, which no argument can be mistaken for. */
export function encodePieces(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : `\0${piece.input}\0`)).join('');
}

export function decodePieces(text: string): readonly Piece[] {
  return text
    .split('\0')
    .map((part, index): Piece => (index % 2 === 0 ? part : { input: part }))
    .filter((piece) => piece !== '');
}

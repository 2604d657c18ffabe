import { AppError } from '../errors.ts';

/** A part of the text, from `start` to before `end`. */
export interface Place {
  start: number;
  end: number;
}

/** Throws an AppError that shows the place. `isText`: quotes would make it plain text. */
export type Fail = (problem: string, place: Place, isText?: 'maybe-text') => never;

/** Characters shown before and after the wrong part, and of it. */
const CONTEXT = 30;
const MAX_SHOWN = 60;

export function failureIn(text: string, field: string, code: 'INVALID_PARAMETER' | 'VALIDATION_ERROR'): Fail {
  return (problem, place, isText) => {
    const advice = isText ? ' To search for it as text, put it in quotes.' : '';
    throw new AppError(code, `${field}: ${problem}.`, { field, hint: `At: ${showPlace(text, place)}.${advice}` });
  };
}

/** The text around a place, on one line, with the place between angle quotes. */
function showPlace(text: string, { start, end }: Place): string {
  const from = Math.max(0, start - CONTEXT);
  const to = Math.min(text.length, end + CONTEXT);
  const wrong = end - start > MAX_SHOWN ? `${text.slice(start, start + MAX_SHOWN)}…` : text.slice(start, end);
  const before = `${from > 0 ? '…' : ''}${text.slice(from, start)}`;
  const after = `${text.slice(end, to)}${to < text.length ? '…' : ''}`;
  return `${harmless(before)}«${harmless(wrong)}»${harmless(after)}`;
}

/** Without our own marks, and without characters that a reader would not see or that would end the line. */
function harmless(text: string): string {
  return text.toWellFormed().replace(/[«»\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

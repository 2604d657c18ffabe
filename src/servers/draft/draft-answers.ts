import { AppError } from '../../domain/errors.ts';
import { closest } from '../../lib/did-you-mean.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { DraftInput } from './draft.ts';

const MAX_ANSWER = 10_000;
const MAX_VALUES = 100;

/** Answers that fit their inputs, without empty ones. */
export function checkedAnswers(
  inputs: readonly DraftInput[],
  answers: Readonly<Record<string, string>>,
): Record<string, string> {
  const checked: [string, string][] = [];
  for (const [key, answer] of Object.entries(answers)) {
    const input = inputs.find((one) => one.key === key);
    if (input === undefined) throw unknownInput(key, inputs);
    // A key that was pasted often ends in a line break.
    const text = input.secret ? answer.replace(/[\r\n]+/g, '').trim() : answer;
    if (text === '') continue;
    checkAnswer(input, text);
    checked.push([key, text]);
  }
  return Object.fromEntries(checked);
}

/** The values of a repeated input. */
export function listOf(answer: string): readonly string[] {
  return (jsonList(answer) ?? answer.split(',').map((item) => item.trim())).filter((item) => item !== '');
}

function jsonList(answer: string): readonly string[] | undefined {
  if (!answer.trimStart().startsWith('[')) return undefined;
  try {
    const items: unknown = JSON.parse(answer);
    return Array.isArray(items) && items.every((item) => typeof item === 'string') ? items : undefined;
  } catch {
    return undefined;
  }
}

function checkAnswer(input: DraftInput, answer: string): void {
  if (answer.length > MAX_ANSWER) throw wrong(input, `is longer than ${MAX_ANSWER} characters.`);
  // No argument, variable or header can contain it.
  if (answer.includes('\0')) throw wrong(input, 'contains a NUL character.');
  if (input.kind === 'header' && /[\r\n]/.test(answer)) throw wrong(input, 'contains a line break.');
  const values = input.repeated ? listOf(answer) : [answer];
  if (values.length > MAX_VALUES) throw wrong(input, `has more than ${MAX_VALUES} values.`);
  for (const value of values) {
    if (input.choices && !input.choices.includes(value)) throw wrong(input, 'is not one of the possible values.');
    if (input.format === 'number' && !isNumber(value)) throw wrong(input, 'is not a number.');
    if (input.format === 'boolean' && !/^(true|false)$/.test(value)) throw wrong(input, 'is neither true nor false.');
  }
}

function isNumber(value: string): boolean {
  return value.trim() !== '' && Number.isFinite(Number(value));
}

function wrong(input: DraftInput, problem: string): AppError {
  return new AppError('VALIDATION_ERROR', `The value of ${input.key} ${problem}`, { field: input.key });
}

function unknownInput(key: string, inputs: readonly DraftInput[]): AppError {
  const names = inputs.map((input) => input.key);
  const likely = closest(key, names);
  const hint = likely === undefined ? undefined : `Did you mean ${likely}?`;
  return new AppError('VALIDATION_ERROR', `The server has no input ${quotedName(key)}.`, { field: key, hint });
}

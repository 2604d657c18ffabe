import { z } from 'zod';
import { visible } from '../../lib/visible.ts';
import type { CliQuestion } from '../../operation.ts';
import type { DraftInput } from '../draft/draft.ts';

export const InputView = z.object({
  key: z.string(),
  required: z.boolean(),
  secret: z.boolean(),
  description: z.string().optional(),
  default: z.string().optional(),
  choices: z.array(z.string()).optional(),
});

export function toInputView({ key, required, secret, description, default: usual, choices }: DraftInput) {
  return {
    key,
    required,
    secret,
    ...(description === undefined ? {} : { description }),
    ...(usual === undefined ? {} : { default: usual }),
    ...(choices === undefined ? {} : { choices: [...choices] }),
  };
}

/** Asks for the first required value that is missing. */
export function questionsOf<Input>(
  inputs: readonly z.output<typeof InputView>[],
  next: (values: Record<string, string>) => Input,
): CliQuestion<Input> | undefined {
  const first = inputs.find(({ required, default: usual }) => required && usual === undefined);
  if (!first) return undefined;
  const { key, description, choices, secret } = first;
  const about = description === undefined ? '' : ` (${visible(description)})`;
  const among = choices === undefined ? '' : `, one of ${choices.map(visible).join(', ')}`;
  return {
    text: `${visible(key)}${about}${among}:`,
    secret,
    isAnswered: true,
    next: (answer) => next({ [key]: answer }),
  };
}

import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { visible } from '../../lib/visible.ts';
import type { CliQuestion } from '../../operation.ts';
import type { AccountProgress } from '../accounts/account-dialogs.ts';
import type { AccountStep } from '../accounts/sign-in.ts';

/** Fields of the input that continue a dialog. */
export const DialogInput = {
  dialog_id: z.string().max(100).optional().describe('Continues a dialog that has asked for something.'),
  answer: z.string().max(10_000).optional().describe('The answer to what it asked for; without one it asks again.'),
};

/** Fields of the output of a dialog that is not at its end. */
export const DialogOutput = {
  dialog_id: z.string().optional(),
  step: z
    .object({
      kind: z.enum(['ask', 'open']),
      field: z.string().optional(),
      label: z.string().optional(),
      secret: z.boolean().optional(),
      url: z.string().optional(),
      code: z.string().optional(),
    })
    .optional()
    .describe('What a person has to do before it goes on: answer a question, or open a page in a browser.'),
};

type StepView = z.output<(typeof DialogOutput)['step']>;

interface DialogView {
  dialog_id?: string | undefined;
  step?: StepView;
}

export function stepView({ id, step }: Extract<AccountProgress, { kind: 'step' }>): {
  dialog_id: string;
  step: AccountStep;
} {
  return { dialog_id: id, step };
}

/** The question of a step; answers may be secrets, so they are never arguments of a command. */
export function questionOf<Input>(
  { dialog_id: id, step }: DialogView,
  next: (continued: { dialog_id: string; answer?: string }) => Input,
): CliQuestion<Input> | undefined {
  if (!step || id === undefined) return undefined;
  return {
    text: stepText(step),
    secret: step.secret === true,
    isAnswered: step.kind === 'ask',
    next: (answer) => next({ dialog_id: id, ...(step.kind === 'ask' ? { answer } : {}) }),
  };
}

export function stepText({ kind, label = '', url = '', code }: NonNullable<StepView>): string {
  if (kind === 'ask') return `${visible(label)}:`;
  const typed = code === undefined ? '' : ` and type the code ${visible(code)}`;
  return `Open this page in your browser${typed}:\n\n  ${visible(url)}\n\nWaiting until you have signed in there …`;
}

export function unknownDialog(command: string): AppError {
  return new AppError('CONFLICT', 'This dialog has ended, or was never begun.', {
    field: 'dialog_id',
    hint: `Begin again: switchboard ${command}`,
  });
}

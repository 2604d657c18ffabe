import type { Assistant } from '../domain/assistant.ts';
import type { CliQuestion } from '../operation.ts';
import type { FoundAssistant } from './assistants-port.ts';

interface Output {
  found?: FoundAssistant[] | undefined;
}

/** Asks which of the installed assistants to connect, until the user has enough or none is left. */
export function choiceQuestion<
  Input extends { assistant?: Assistant | undefined; remove: boolean },
  Out extends Output,
>(input: Input, output: Out, text: (output: Out) => string): CliQuestion<Input & { answer: string }> | undefined {
  const choices = choicesOf(output.found ?? [], input.remove);
  if (input.assistant !== undefined || choices.length === 0) return undefined;
  const question = input.remove ? 'Disconnect which?' : 'Connect which?';
  return {
    text: `${text(output)}\n${question} Numbers or names, "all", or Enter to end:`,
    secret: false,
    isAnswered: true,
    terminalOnly: true,
    next: (answer) => ({ ...input, answer }),
  };
}

/** What an answer means: numbers of the list, names, or all of them. */
export function chosen(
  answer: string,
  found: readonly FoundAssistant[],
  remove: boolean,
): { assistants: Assistant[] } | { problem: string } {
  const choices = choicesOf(found, remove).map(({ assistant }) => assistant);
  const words = answer
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (words.length === 1 && words[0] === 'all') return { assistants: choices };
  const assistants = words.map((word) => choices.find((name) => name === word) ?? listed(word, found, choices));
  const unknown = assistants.indexOf(undefined);
  if (unknown !== -1) return { problem: `'${words[unknown]}' is none of them.` };
  return { assistants: [...new Set(assistants.filter((each) => each !== undefined))] };
}

function listed(word: string, found: readonly FoundAssistant[], choices: readonly Assistant[]): Assistant | undefined {
  const { assistant } = (/^\d+$/.test(word) && found[Number(word) - 1]) || {};
  return assistant && choices.includes(assistant) ? assistant : undefined;
}

function choicesOf(found: readonly FoundAssistant[], remove: boolean): FoundAssistant[] {
  return found.filter(({ connected }) => connected === remove);
}

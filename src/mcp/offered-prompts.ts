import { type Capability, mayUse } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Pipeline, Prompt } from '../operation.ts';
import { callOf } from './protocol-call.ts';
import type { PromptEntry } from './registry.ts';
import { sortedBy } from './sorted-by.ts';

export function offeredPrompts(served: readonly Capability[], pipeline: Pipeline) {
  const prompts = served.flatMap((capability) =>
    (capability.prompts ?? []).map((prompt) => ({ capability, prompt, entry: entryOf(capability, prompt, pipeline) })),
  );
  const sorted = sortedBy(prompts, ({ prompt }) => prompt.name);
  return {
    prompts: (principal: Principal): PromptEntry[] =>
      sorted.filter(({ capability, prompt }) => mayUse(capability, prompt, principal)).map(({ entry }) => entry),
    prompt: (name: string, principal: Principal): PromptEntry | undefined =>
      sorted.find(({ capability, prompt }) => prompt.name === name && mayUse(capability, prompt, principal))?.entry,
    /** How the arguments of a prompt are completed; undefined where there is no such prompt. */
    completionOf(name: string) {
      const found = sorted.find(({ prompt }) => prompt.name === name);
      return found && { capability: found.capability, offered: found.prompt };
    },
  };
}

function entryOf(capability: Capability, prompt: Prompt, pipeline: Pipeline): PromptEntry {
  const { name, title, description, arguments: args } = prompt;
  return {
    definition: { name, ...(title === undefined ? {} : { title }), description, arguments: [...args] },
    async get(values, context, caller) {
      const missing = args.find((argument) => argument.required && values[argument.name] === undefined);
      if (missing) {
        throw new AppError(capability.invalidInput, `${missing.name} is required.`, { field: missing.name });
      }
      const { text, ...rest } = await pipeline.read(
        capability,
        { name, access: prompt },
        callOf(context, caller, { prompt: name }),
        (inner) => prompt.get(values, inner),
      );
      return { ...rest, messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  };
}

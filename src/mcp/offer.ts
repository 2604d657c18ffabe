import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { Log } from '../lib/log.ts';
import type { Pipeline } from '../operation.ts';
import { createChanges } from './changes.ts';
import { offeredPrompts } from './offered-prompts.ts';
import { offeredResources } from './offered-resources.ts';
import { offeredTools } from './offered-tools.ts';
import { splitResume } from './patterns.ts';
import { callOf } from './protocol-call.ts';
import type { Registry } from './registry.ts';

export interface OfferOptions {
  /** Only these capabilities, by name; empty means all. */
  only: readonly string[];
  /** Offers only tools that change and send nothing. */
  readOnly: boolean;
}

export interface OfferParts {
  capabilities: readonly Capability[];
  pipeline: Pipeline;
  events: EventLog;
  /** Masks every secret the program knows in notifications. */
  masker: { maskDeep<T>(value: T): T };
  log: Log;
}

/** What the capabilities offer on one endpoint, as a registry for the protocol. */
export function createOffer(parts: OfferParts, options: OfferOptions): Registry {
  const { capabilities, pipeline } = parts;
  const served = select(capabilities, options.only);
  const { completionOf: promptCompletion, ...prompts } = offeredPrompts(served, pipeline);
  const { completionOf: templateCompletion, follow, ...resources } = offeredResources(served, pipeline);
  const changes = createChanges(parts, served);

  return {
    ...offeredTools(served, options.readOnly, parts),
    ...prompts,
    ...resources,

    async complete(target, argument, context, caller) {
      const found = target.kind === 'prompt' ? promptCompletion(target.name) : templateCompletion(target.uriTemplate);
      if (!found) return undefined;
      const { capability, offered } = found;
      const { complete } = offered;
      return pipeline.read(
        capability,
        { name: 'completion', access: offered },
        callOf(context, caller),
        async (inner) => (complete ? complete(argument.name, argument.value, inner, argument.chosen) : []),
      );
    },

    async checkSubscription(uri, { principal }) {
      const { after } = splitResume(uri);
      if (after !== undefined) await changes.checkKept(after);
      return follow(uri, principal);
    },

    onListChanged: () => () => {},
    onUpdate: changes.listen,
    missed: changes.missed,
    newestEvent: changes.newest,
  };
}

function select(capabilities: readonly Capability[], only: readonly string[]): readonly Capability[] {
  if (only.length === 0) return capabilities;
  const choices = capabilities.filter((capability) => !capability.combinedOnly);
  return [...new Set(only)].map((name) => {
    const found = choices.find((capability) => capability.name === name);
    if (found) return found;
    const valid = choices.map((capability) => capability.name).join(', ') || 'none in this version';
    throw new AppError('VALIDATION_ERROR', `There is no capability '${name}'. Valid: ${valid}.`, { field: 'only' });
  });
}

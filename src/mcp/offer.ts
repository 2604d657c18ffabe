import type { Capability } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { EventLog } from '../domain/event-log.ts';
import type { Gateway } from '../domain/gateway.ts';
import type { Guide } from '../domain/guide.ts';
import type { Origin } from '../domain/origin.ts';
import type { Principal } from '../domain/principal.ts';
import type { Log } from '../lib/log.ts';
import { once } from '../lib/once.ts';
import type { Pipeline } from '../operation.ts';
import { createChanges } from './changes.ts';
import { formFor } from './client-forms.ts';
import { composeInstructions } from './instructions.ts';
import { type OfferedGateway, offeredGateway } from './offered-gateway.ts';
import { offeredPrompts } from './offered-prompts.ts';
import { offeredResources } from './offered-resources.ts';
import { offeredTools, withoutOutputSchema } from './offered-tools.ts';
import { splitResume } from './patterns.ts';
import { callOf } from './protocol-call.ts';
import type { Registry } from './registry.ts';
import { sortedBy } from './sorted-by.ts';

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
  const { capabilities, pipeline, log } = parts;
  const served = select(capabilities, options.only);
  const { completionOf: promptCompletion, ...prompts } = offeredPrompts(served, pipeline);
  const { completionOf: templateCompletion, follow, isFollowed, ...resources } = offeredResources(served, pipeline);
  const changes = createChanges(parts, served);
  const { namedFor, ...tools } = offeredTools(served, options.readOnly, parts);
  const own = { tool: tools.tool, ...prompts, ...resources, tools: ownTools };
  const gateways = served.flatMap((capability) =>
    hasGateway(capability) ? [offeredGateway(capability, options.readOnly, pipeline)] : [],
  );

  const guides = served.flatMap(({ guide }) => (guide ? [guide] : []));
  const ready = once(async () => {
    const outcomes = await Promise.allSettled(guides.map((guide) => guide.ready?.()));
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') log.warn({ err: outcome.reason }, 'what is configured could not be read');
    }
  });

  function ownTools(principal: Principal, client?: string, origin?: Origin) {
    const listed = tools.tools(principal, origin);
    return formFor(client) === 'text' ? listed.map(withoutOutputSchema) : listed;
  }

  return {
    ...(gateways.length > 0 ? withGateways(own, gateways) : own),
    ready,
    instructions(principal, origin) {
      const audience = { principal, origin };
      return composeInstructions(
        served.flatMap((one) => one.guide?.introduction?.(audience, namedFor(one, audience)) ?? []),
      );
    },

    async complete(target, argument, context, caller) {
      const found = target.kind === 'prompt' ? promptCompletion(target.name) : templateCompletion(target.uriTemplate);
      if (!found) return firstOf(gateways, (gateway) => gateway.complete(target, argument, context, caller));
      const { capability, offered } = found;
      const { complete } = offered;
      return pipeline.read(
        capability,
        { name: 'completion', access: offered },
        callOf(context, caller),
        async (inner) => ({
          values: complete ? await complete(argument.name, argument.value, inner, argument.chosen) : [],
        }),
      );
    },

    async checkSubscription(uri, { principal }) {
      const { after } = splitResume(uri);
      if (after !== undefined) await changes.checkKept(after);
      // Another server can list any address; ours are not its own.
      const others = isFollowed(uri, principal) ? [] : gateways;
      return (await firstOf(others, (gateway) => gateway.follow(uri, principal))) ?? follow(uri, principal);
    },

    rootsChanged(connection) {
      for (const gateway of gateways) gateway.rootsChanged(connection);
    },

    onListChanged(listener, audience) {
      const stops = [
        ...gateways.map((gateway) => gateway.onListChanged(listener)),
        ...onToolsChanged(
          guides,
          () => listener('tools'),
          audience && (() => tools.tools(audience.principal, audience.origin)),
        ),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    onUpdate: changes.listen,
    missed: changes.missed,
    newestEvent: changes.newest,
  };
}

type Lists = Pick<Registry, 'tools' | 'tool' | 'prompts' | 'prompt' | 'resources' | 'templates' | 'read'>;

/** What this program offers itself comes first: another server cannot take its place. */
function withGateways(own: Lists, gateways: readonly OfferedGateway[]): Lists {
  return {
    tools: (principal, client, origin) =>
      sortedBy(
        [...own.tools(principal, client, origin), ...gateways.flatMap((gateway) => gateway.tools(principal, client))],
        ({ definition }) => definition.name,
      ),
    tool: (name, principal) => own.tool(name, principal) ?? found(gateways, (gateway) => gateway.tool(name, principal)),
    prompts: (principal) =>
      sortedBy(
        [...own.prompts(principal), ...gateways.flatMap((gateway) => gateway.prompts(principal))],
        ({ definition }) => definition.name,
      ),
    prompt: (name, principal) =>
      own.prompt(name, principal) ?? found(gateways, (gateway) => gateway.prompt(name, principal)),
    resources: (principal) =>
      sortedBy(
        [...own.resources(principal), ...gateways.flatMap((gateway) => gateway.resources(principal))],
        ({ uri }) => uri,
      ),
    templates: (principal) =>
      sortedBy(
        [...own.templates(principal), ...gateways.flatMap((gateway) => gateway.templates(principal))],
        ({ uriTemplate }) => uriTemplate,
      ),
    read: async (uri, context, caller) =>
      (await own.read(uri, context, caller)) ?? firstOf(gateways, (gateway) => gateway.read(uri, context, caller)),
  };
}

function found<T>(gateways: readonly OfferedGateway[], find: (gateway: OfferedGateway) => T | undefined) {
  for (const gateway of gateways) {
    const result = find(gateway);
    if (result !== undefined) return result;
  }
  return undefined;
}

async function firstOf<T>(
  gateways: readonly OfferedGateway[],
  find: (gateway: OfferedGateway) => Promise<T | undefined>,
) {
  for (const gateway of gateways) {
    const result = await find(gateway);
    if (result !== undefined) return result;
  }
  return undefined;
}

function hasGateway(capability: Capability): capability is Capability & { gateway: Gateway } {
  return capability.gateway !== undefined;
}

/** Reports changes of what is listed; with `listed`, only if names or descriptions are others than before. */
function onToolsChanged(
  guides: readonly Guide[],
  report: () => void,
  listed?: () => readonly { definition: { name: string; description?: string | undefined } }[],
): (() => void)[] {
  const state = () => JSON.stringify(listed?.().map(({ definition: { name, description } }) => [name, description]));
  let before = listed && state();
  return guides.flatMap((guide) => {
    const stop = guide.onChange?.(() => {
      const now = listed && state();
      if (now !== undefined && now === before) return;
      before = now;
      report();
    });
    return stop ? [stop] : [];
  });
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

import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { type Capability, mayUse } from '../capability.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import type { Call, Pipeline, ResourceTemplate } from '../operation.ts';
import { mayMatch, splitResume, templateMatcher } from './patterns.ts';
import { callOf } from './protocol-call.ts';
import type { Caller, RequestContext, Subscription } from './registry.ts';
import { sortedBy } from './sorted-by.ts';

interface OfferedTemplate {
  capability: Capability;
  template: ResourceTemplate;
}

export function offeredResources(served: readonly Capability[], pipeline: Pipeline) {
  const resources = served.flatMap((capability) =>
    (capability.resources ?? []).map((resource) => ({ capability, resource })),
  );
  const templates = served.flatMap((capability) =>
    (capability.templates ?? []).map((template) => ({
      capability,
      template,
      variablesOf: templateMatcher(template.uriTemplate),
    })),
  );

  /** What the pattern follows in this template; undefined where the template does not define it. */
  function followedIn({ capability, template }: OfferedTemplate, pattern: string, call: Call) {
    const entry = { name: `subscribe ${template.uriTemplate}`, access: template };
    return pipeline.read(capability, entry, call, async (inner) => template.subscribe?.(pattern, inner));
  }

  /** What of ours the pattern of a subscription can match. */
  function fitting(pattern: string, principal: Principal) {
    return [...resources, ...templates].filter(
      (entry) =>
        mayUse(entry.capability, 'template' in entry ? entry.template : entry.resource, principal) &&
        mayMatch(pattern, addressOf(entry)),
    );
  }

  return {
    resources: (principal: Principal) =>
      sortedBy(
        resources
          .filter(({ capability, resource }) => mayUse(capability, resource, principal))
          .map(({ resource }) => describe(resource)),
        (resource) => resource.uri,
      ),

    templates: (principal: Principal) =>
      sortedBy(
        templates
          .filter(({ capability, template }) => mayUse(capability, template, principal))
          .map(({ template: { uriTemplate, ...rest } }) => ({ uriTemplate, ...describe(rest) })),
        (template) => template.uriTemplate,
      ),

    async read(uri: string, context: RequestContext, caller: Caller): Promise<ReadResourceResult | undefined> {
      const call = () => callOf(context, caller, { resource: uri });
      const fixed = resources.find(({ resource }) => resource.uri === uri);
      if (fixed) {
        const { capability, resource } = fixed;
        const text = await pipeline.read(capability, { name: uri, access: resource }, call(), (inner) =>
          resource.read(inner),
        );
        return { contents: [{ uri, mimeType: resource.mimeType, text }] };
      }
      for (const { capability, template, variablesOf } of templates) {
        const variables = variablesOf(uri);
        if (!variables) continue;
        const entry = { name: template.uriTemplate, access: template };
        const content = await pipeline.read(capability, entry, call(), (inner) =>
          template.read(new URL(uri), variables, inner),
        );
        return { contents: [content] };
      }
      return undefined;
    },

    /** How the variables of a template are completed; undefined where there is no such template. */
    completionOf(uriTemplate: string) {
      const found = templates.find(({ template }) => template.uriTemplate === uriTemplate);
      return found && { capability: found.capability, offered: found.template };
    },

    /** Whether a subscription is to something of ours. */
    isFollowed: (uri: string, principal: Principal) => fitting(splitResume(uri).pattern, principal).length > 0,

    /** What the pattern of a subscription follows; throws where no resource can match it. */
    async follow(uri: string, principal: Principal): Promise<Subscription> {
      const { pattern, after } = splitResume(uri);
      const entries = fitting(pattern, principal);
      if (entries.length === 0) {
        throw new AppError('NOT_FOUND', `Nothing here answers to ${pattern}, so it cannot be subscribed to.`, {
          field: 'uri',
        });
      }
      const follows: string[] = [];
      for (const entry of entries) {
        const followed = 'template' in entry ? await followedIn(entry, pattern, { principal, door: 'mcp' }) : undefined;
        follows.push(...(followed ?? [pattern]));
      }
      return { pattern, follows: [...new Set(follows)], ...(after === undefined ? {} : { after }) };
    },
  };
}

function describe<T extends Omit<Resource, 'uri'> & { read: unknown }>(entry: T) {
  const { name, title, description, mimeType, ...rest } = entry;
  const known = 'uri' in rest ? { uri: rest.uri } : {};
  return { ...known, name, ...(title === undefined ? {} : { title }), description, mimeType } as Omit<Resource, 'uri'> &
    Pick<T, Extract<keyof T, 'uri'>>;
}

function addressOf(entry: { resource: { uri: string } } | { template: { uriTemplate: string } }): string {
  return 'template' in entry ? entry.template.uriTemplate : entry.resource.uri;
}

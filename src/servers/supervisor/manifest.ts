import type { JsonObject } from '../../domain/json.ts';
import type { ServerManifest } from '../../domain/server-manifest.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { Upstream } from '../upstream/upstream.ts';

/** Longer instructions are cut. */
const MAX_INSTRUCTIONS = 8_192;

/** Asks a connected server for everything it offers. */
export async function readManifest(upstream: Upstream, signal: AbortSignal): Promise<ServerManifest> {
  const [tools, prompts, resources, resourceTemplates] = await Promise.all([
    upstream.list('tools', signal),
    upstream.list('prompts', signal),
    upstream.list('resources', signal),
    upstream.list('resourceTemplates', signal),
  ]);
  return {
    serverInfo: upstream.serverInfo,
    protocolVersion: upstream.protocolVersion,
    capabilities: upstream.capabilities,
    ...(upstream.instructions === undefined ? {} : { instructions: upstream.instructions.slice(0, MAX_INSTRUCTIONS) }),
    tools,
    prompts,
    resources: resources.filter((one) => hasText(one, 'uri')),
    resourceTemplates: resourceTemplates.filter((one) => hasText(one, 'uriTemplate')),
  };
}

function hasText(value: JsonObject, key: string): boolean {
  return isRecord(value) && typeof value[key] === 'string' && typeof value.name === 'string';
}

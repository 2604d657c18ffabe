import type { JsonObject } from '../../../src/domain/json.ts';
import type { ServerId } from '../../../src/domain/server-config.ts';
import type { ServerState } from '../../../src/domain/server-state.ts';
import type { ManagedServer } from '../../../src/servers/supervisor/managed-server.ts';

interface Offered {
  state?: ServerState;
  tools?: readonly (JsonObject & { name: string })[];
  prompts?: readonly (JsonObject & { name: string })[];
  resources?: readonly JsonObject[];
  resourceTemplates?: readonly JsonObject[];
  instructions?: string;
  trusted?: boolean;
  filter?: { allow?: readonly string[]; deny?: readonly string[] };
}

/** As much of a server as decides what is offered of it. */
export function managedServer(id: string, offered: Offered = {}): ManagedServer {
  const { tools = [], prompts = [], instructions, trusted = false, filter = {} } = offered;
  const { resources = [], resourceTemplates = [] } = offered;
  return {
    id: id as ServerId,
    state: () => offered.state ?? { state: 'running', since: 0, failures: 0 },
    config: () => ({ id, name: id, tools: filter, trusted }),
    manifest: () => ({ resources, resourceTemplates }),
    reviewed: () => ({ tools, prompts, ...(instructions === undefined ? {} : { instructions }) }),
  } as unknown as ManagedServer;
}

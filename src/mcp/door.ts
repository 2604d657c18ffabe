import type { SessionRepository } from '../domain/session.ts';
import { version } from '../lib/version.ts';
import type { DoorParts } from './connection.ts';
import type { SessionLimits } from './http-sessions.ts';
import { createGates, type Limits } from './limits.ts';
import { createOffer, type OfferOptions, type OfferParts } from './offer.ts';
import type { Registry } from './registry.ts';
import { createSubscribed } from './subscriptions.ts';

/** The sections of the configuration that MCP uses, with their keys. */
export interface McpSettings {
  server: { name: string };
  limits: {
    max_concurrent: number;
    max_concurrent_total: number;
    max_concurrent_per_token: number;
    request_timeout_ms: number;
    max_line_bytes: number;
  };
  mcp: {
    page_size: number;
    list_ttl_ms: number;
    resource_ttl_ms: number;
    session_idle_ms: number;
    max_sessions: number;
    max_sessions_per_token: number;
  };
}

export interface McpDoorParts extends OfferParts, Pick<DoorParts, 'clock' | 'log' | 'requestObserver' | 'running'> {
  sessions: SessionRepository;
  /** The configuration in force: it is read on each use. */
  settings(): McpSettings;
}

/** What all MCP transports of one process share. */
export interface McpDoor {
  parts: DoorParts & SessionLimits;
  /** The same capabilities share a registry. Throws if there is no such capability. */
  offer(options: OfferOptions): Registry;
}

export function createMcpDoor(parts: McpDoorParts): McpDoor {
  const { settings, sessions, clock, log, requestObserver, running } = parts;
  const registries = new Map<string, Registry>();
  const limits = limitsIn(settings);
  return {
    parts: {
      ...(requestObserver ? { requestObserver } : {}),
      ...(running ? { running } : {}),
      sessions,
      clock,
      log,
      limits,
      gates: createGates(limits),
      subscribed: createSubscribed(),
      get identity() {
        return { name: settings().server.name, version: version() };
      },
      get pageSize() {
        return settings().mcp.page_size;
      },
      get listTtlMs() {
        return settings().mcp.list_ttl_ms;
      },
      get resourceTtlMs() {
        return settings().mcp.resource_ttl_ms;
      },
      get sessionIdleMs() {
        return settings().mcp.session_idle_ms;
      },
      get maxSessions() {
        return settings().mcp.max_sessions;
      },
      get maxSessionsPerToken() {
        return settings().mcp.max_sessions_per_token;
      },
    },
    offer({ only, readOnly }) {
      const key = `${[...only].sort().join(',')} ${readOnly}`;
      const registry = registries.get(key) ?? createOffer(parts, { only, readOnly });
      registries.set(key, registry);
      return registry;
    },
  };
}

function limitsIn(settings: () => McpSettings): Limits {
  return {
    get maxConcurrent() {
      return settings().limits.max_concurrent;
    },
    get maxConcurrentTotal() {
      return settings().limits.max_concurrent_total;
    },
    get maxConcurrentPerToken() {
      return settings().limits.max_concurrent_per_token;
    },
    get requestTimeoutMs() {
      return settings().limits.request_timeout_ms;
    },
    get maxLineBytes() {
      return settings().limits.max_line_bytes;
    },
  };
}

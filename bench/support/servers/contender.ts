import type { Program } from '../process.ts';

/** How clients reach it: raw lines, 2025-11-25 and 2026-07-28 over HTTP, or 2024-11-05. */
export type Door = 'stdio' | 'session' | 'stateless' | 'sse';

/** What a start is given. */
export interface Setting {
  /** So many servers, s0, s1 …, are behind it. */
  upstreams: number;
  port: number;
  /** Empty, and removed afterwards. */
  folder: string;
  /** It was started before, and may know what the servers offer. */
  isKnown: boolean;
}

/** A program that is measured through one of its doors. */
export interface Contender {
  id: string;
  title: string;
  kind: 'direct' | 'relay' | 'ours' | 'peer';
  door: Door;
  /** `/mcp` unless given. */
  path?: string;
  /** Offers more than one server over one connection. */
  isForMany: boolean;
  launch(setting: Setting): Program;
}

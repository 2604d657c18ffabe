/** What a running process knows of itself, and no store. */
export interface RunningState {
  /** Why a changed configuration is not in force, on one line. */
  configProblem(): string | undefined;
  noteConfig(problem: string | undefined): void;
  /** A client on a connection of its own. `hasSession` tells whether it has one now. Returns what ends it. */
  connected(hasSession: () => boolean): () => void;
  /** A request that belongs to no connection; `client` is who made it. */
  requested(client: string): void;
  /** Clients that are connected without a session, or made a request without one in the last minutes. */
  clientsWithoutSession(): number;
}

/** How long after its last request a client counts as present. */
const PRESENT_MS = 5 * 60_000;
/** More clients than this are not told apart. */
const MAX_CLIENTS = 1_000;
const MAX_PROBLEM = 400;

/** A problem of the configuration, shortened. */
export function onOneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ').slice(0, MAX_PROBLEM);
}

export function createRunningState(clock: { now(): number }): RunningState {
  const connections = new Set<() => boolean>();
  const lastRequests = new Map<string, number>();
  let problem: string | undefined;

  function forgetOld(): void {
    const since = clock.now() - PRESENT_MS;
    for (const [client, at] of lastRequests) if (at < since) lastRequests.delete(client);
  }

  return {
    configProblem: () => problem,
    noteConfig(text) {
      problem = text && onOneLine(text);
    },
    connected(hasSession) {
      connections.add(hasSession);
      return () => void connections.delete(hasSession);
    },
    requested(client) {
      if (!lastRequests.has(client) && lastRequests.size >= MAX_CLIENTS) forgetOld();
      if (lastRequests.has(client) || lastRequests.size < MAX_CLIENTS) lastRequests.set(client, clock.now());
    },
    clientsWithoutSession() {
      forgetOld();
      return lastRequests.size + [...connections].filter((hasSession) => !hasSession()).length;
    },
  };
}

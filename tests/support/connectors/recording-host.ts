import { EventEmitter, once } from 'node:events';
import type { Connection, Host, Position, Timeline } from '../../../src/connectors/connector.ts';
import type { InboundChat, InboundEvent, InboundMessage } from '../../../src/domain/chat.ts';
import type { Log } from '../../../src/lib/log.ts';

/** A running connection, with everything it reported. */
export interface RecordedRun {
  connection: Connection;
  events: readonly InboundEvent[];
  positions: readonly Position[];
  timelines: readonly Timeline[];
  warnings: readonly string[];
  messages(): InboundMessage[];
  chat(id: string): InboundChat;
  /** Resolves when the condition is true, checked at each report of the connection. Fails if the connection ended before. */
  until(what: () => boolean): Promise<void>;
  connected(): Promise<void>;
  /** Stops it, and waits for the end. */
  stop(): Promise<void>;
  /** How it ended: the value it returned or threw. */
  ended: Promise<unknown>;
}

export interface RecordingOptions {
  /** The memory of the connections of one source; share it between consecutive runs. */
  memory?: Map<string, string>;
  secrets?: Map<string, string>;
  /** Called before events are accepted; the connection gets an error that it throws. */
  beforeAccept?(events: readonly InboundEvent[]): void;
}

/** Runs a connection with a host that only records. */
export function runRecorded<Settings>(
  open: (settings: Settings, host: Host) => Connection,
  settings: Settings,
  { memory = new Map(), secrets = new Map(), beforeAccept = () => {} }: RecordingOptions = {},
): RecordedRun {
  const [events, positions, timelines, warnings] = [[], [], [], []] as [
    InboundEvent[],
    Position[],
    Timeline[],
    string[],
  ];
  const told = new EventEmitter().setMaxListeners(0);
  const stopping = new AbortController();
  let isConnected = false;
  let isOver = false;

  const host: Host = {
    source: 'test',
    clock: { now: () => Date.now() },
    log: recordingLog(warnings),
    async accept(batch, position) {
      beforeAccept(batch);
      events.push(...batch);
      if (position) positions.push(position);
      told.emit('told');
    },
    async find(ids) {
      return messages()
        .filter(({ id }) => ids.includes(id))
        .map(({ chat, id }) => ({ chat: chat.id, message: id }));
    },
    async acceptHistory(batch) {
      events.push(...batch);
      told.emit('told');
    },
    connected(list = []) {
      isConnected = true;
      timelines.push(...list);
      told.emit('told');
    },
    memory: {
      get: async (key) => memory.get(key),
      async set(key, value) {
        memory.set(key, value);
        told.emit('told');
      },
    },
    secrets: {
      get: async (name) => secrets.get(name),
      set: async (name, value) => void secrets.set(name, value),
      delete: async (name) => void secrets.delete(name),
    },
  };

  async function until(what: () => boolean): Promise<void> {
    while (!what()) {
      if (isOver) throw new Error('the connection ended before');
      await once(told, 'told');
    }
  }

  const connection = open(settings, host);
  const ended = connection
    .run(stopping.signal)
    .catch((error: unknown) => error)
    .finally(() => {
      isOver = true;
      told.emit('told');
    });

  const messages = () => events.flatMap((event) => (event.kind === 'message' ? [event.message] : []));
  return {
    connection,
    events,
    positions,
    timelines,
    warnings,
    messages,
    chat: (id) =>
      Object.assign({ id }, ...events.flatMap((e) => (e.kind === 'chat' && e.chat.id === id ? [e.chat] : []))),
    until,
    connected: () => until(() => isConnected),
    async stop() {
      stopping.abort();
      await ended;
    },
    ended,
  };
}

function recordingLog(warnings: string[]): Log {
  const quiet = () => {};
  const warn = (_fields: Record<string, unknown>, message: string) => void warnings.push(message);
  return { trace: quiet, debug: quiet, info: quiet, warn, error: warn, child: () => recordingLog(warnings) };
}

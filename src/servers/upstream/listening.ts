import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../domain/json.ts';
import { backoffDelay, withJitter } from '../../lib/backoff.ts';
import { isRecord } from '../../lib/is-record.ts';
import type { EraParts } from './connect.ts';
import { cannotSubscribe } from './session-era.ts';
import { UpstreamFailure } from './upstream.ts';

const RETRY = { firstMs: 1_000, longestMs: 60_000 };
const LIST_NAMES = ['tools', 'resources', 'prompts'] as const;

interface ListeningParts extends EraParts {
  /** Adds to parameters what each request states. */
  claimed(params: JsonObject): JsonObject;
}

interface Stream {
  stop: AbortController;
  honoured: JsonObject;
  openedAt: number;
  /** When the server has ended it. */
  over: Promise<UpstreamFailure | undefined>;
}

/**
 * The one `subscriptions/listen` request of a connection, for changes of lists and of resources. Other resources need
 * another request, which replaces it when the server has accepted it; one that breaks is repeated.
 */
export function createListening({ peer, handshake, listener, timeoutMs, claimed }: ListeningParts) {
  const lists = LIST_NAMES.filter((name) => {
    const capability = handshake.capabilities[name];
    return isRecord(capability) && capability.listChanged === true;
  });
  const wanted = new Set<string>();
  let current: Stream | undefined;
  let failures = 0;
  let running: Promise<void> = Promise.resolve();
  /** Has not begun: whoever changes `wanted` now can share it. */
  let scheduled: Promise<void> | undefined;

  if (lists.length > 0)
    void renew().catch(() => listener.onNoise('The server refused to report changes of its lists.'));
  void peer.closed.then(() => current?.stop.abort());

  function renew(): Promise<void> {
    scheduled ??= running.then(() => {
      scheduled = undefined;
      return replace();
    });
    running = scheduled.catch(() => {});
    return scheduled;
  }

  async function replace(): Promise<void> {
    const former = current;
    current = lists.length > 0 || wanted.size > 0 ? await open() : undefined;
    former?.stop.abort();
    if (current) void follow(current);
  }

  async function open(): Promise<Stream> {
    const stop = new AbortController();
    const accepted = Promise.withResolvers<JsonObject>();
    const over = peer
      .request('subscriptions/listen', claimed({ notifications: filter() }), {
        signal: stop.signal,
        timeoutMs: Number.POSITIVE_INFINITY,
        onAcknowledged: accepted.resolve,
      })
      .then(
        () => undefined,
        (failure: UpstreamFailure) => failure,
      );
    void over.then((failure) => accepted.reject(failure ?? cannotSubscribe()));
    const timer = setTimeout(() => {
      accepted.reject(new UpstreamFailure('timeout', 'The server did not answer in time.'));
      stop.abort();
    }, timeoutMs);
    try {
      return { stop, honoured: await accepted.promise, openedAt: performance.now(), over };
    } finally {
      clearTimeout(timer);
    }
  }

  function filter(): JsonObject {
    return {
      ...Object.fromEntries(lists.map((name) => [`${name}ListChanged`, true])),
      ...(wanted.size > 0 ? { resourceSubscriptions: [...wanted] } : {}),
    };
  }

  /** Repeats the request when it has ended, until it is replaced or the connection ends. */
  async function follow(stream: Stream): Promise<void> {
    const failure = await stream.over;
    // Nothing was accepted, so the server had nothing to wait for.
    if (Object.keys(stream.honoured).length === 0 || failure?.kind === 'rpc') return;
    if (performance.now() - stream.openedAt > RETRY.longestMs) failures = 0;
    while (current === stream && !peer.ended()) {
      failures += 1;
      await sleep(withJitter(backoffDelay(failures, RETRY)), undefined, { ref: false });
      if (current !== stream || peer.ended()) return;
      const isOpen = await renew().then(
        () => true,
        () => false,
      );
      if (isOpen) return reportAll();
    }
  }

  /** What has changed in between is not known. */
  function reportAll(): void {
    for (const list of lists) listener.onListChanged(list);
    for (const uri of wanted) listener.onResourceUpdated(uri);
  }

  return {
    async subscribe(uri: string, signal: AbortSignal): Promise<void> {
      if (wanted.has(uri)) return;
      wanted.add(uri);
      try {
        await renew();
        const { resourceSubscriptions } = current?.honoured ?? {};
        if (!Array.isArray(resourceSubscriptions) || !resourceSubscriptions.includes(uri)) throw cannotSubscribe();
        if (signal.aborted) throw new UpstreamFailure('cancelled', 'The request was cancelled.');
      } catch (thrown) {
        wanted.delete(uri);
        throw thrown;
      }
    },
    async unsubscribe(uri: string): Promise<void> {
      if (wanted.delete(uri)) await renew();
    },
  };
}

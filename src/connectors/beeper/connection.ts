import type { Connection, Host, SendOutcome } from '../connector.ts';
import { createHttpClient } from '../http-client.ts';
import { OutcomeError, outcomeOf, rejected, rejectionOf } from '../outcome-error.ts';
import { createChats } from './chats.ts';
import { type BeeperClient, createBeeperClient } from './client.ts';
import { openEvents } from './events.ts';
import { createHistory } from './history.ts';
import { createLive } from './live.ts';
import { TOKEN } from './login.ts';
import { download } from './media.ts';
import { send, wasSent } from './send.ts';
import type { BeeperSettings } from './settings.ts';

export { login, logout } from './login.ts';

const NAMES = { address: '`url`', encryption: 'whether `url` begins with `http://`' };
const UNREACHED = 'Beeper Desktop is not reached at the moment.';

interface Link {
  client: BeeperClient;
  history: ReturnType<typeof createHistory>;
}

export function openConnection(settings: BeeperSettings, host: Host): Connection {
  const http = createHttpClient();
  let link: Link | undefined;

  async function connect(): Promise<BeeperClient> {
    const { url, access_token: configured } = settings;
    const token = configured ?? (await host.secrets.get(TOKEN));
    if (token !== undefined) return createBeeperClient({ url, token }, http);
    throw rejected('The source has no access token.');
  }

  async function follow(client: BeeperClient, signal: AbortSignal): Promise<void> {
    const failed = Promise.withResolvers<Error>();
    const chats = createChats(client);
    const onChat = (chat: string) => host.connected([{ id: chat, chat }]);
    const live = createLive({ client, chats, host, signal, onChat });
    // It also finds out whether the token is accepted, which a WebSocket does not say.
    await client.ask({ path: ['accounts'], signal });
    const fail = (error: unknown) => failed.resolve(error instanceof Error ? error : new Error(String(error)));
    const events = await openEvents(client, (event) => live.take(event, fail), signal);
    try {
      // After the subscription, so that nothing is in between.
      const list = await chats.list(signal);
      if (list.length > 0) await host.accept(list.map((chat) => ({ kind: 'chat', chat })));
      link = { client, history: createHistory(client, chats) };
      host.connected(list.map(({ id }) => ({ id, chat: id })));
      const end = await Promise.race([events.ended, failed.promise, aborted(signal)]);
      if (end) throw end;
    } finally {
      link = undefined;
      events.close();
      await events.ended;
      await live.settled();
    }
  }

  async function run(signal: AbortSignal): Promise<void> {
    try {
      await follow(await connect(), signal);
    } catch (error) {
      if (!signal.aborted) throw await forgotten(error);
    } finally {
      http.close();
    }
  }

  /** A token that was revoked is asked for again. */
  async function forgotten(error: unknown): Promise<unknown> {
    const isRefused = error instanceof OutcomeError && error.outcome.kind === 'rejected';
    if (!isRefused || settings.access_token !== undefined) return error;
    await host.secrets.delete(TOKEN);
    return rejected(`${error.message} Run \`switchboard chat login ${host.source}\`.`, { cause: error });
  }

  function reached(): Link {
    if (!link) throw new Error(UNREACHED);
    return link;
  }

  return {
    run: (signal) => rejectionOf(run(signal), NAMES),
    async send(outgoing): Promise<SendOutcome> {
      if (!link) return { kind: 'not-sent', reason: UNREACHED, retry: true };
      return outcomeOf(send(link.client, outgoing), 'not-sent', 'unknown');
    },
    wasSent: async (outgoing) => wasSent(reached().client, outgoing),
    history: async (request) => reached().history(request),
    download: async (attachment, request) => download(reached().client, attachment, request),
  };
}

async function aborted(signal: AbortSignal): Promise<undefined> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener('abort', () => resolve(), { once: true });
  await promise;
}

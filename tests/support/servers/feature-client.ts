import { Client, type LoggingLevel, type SubscriptionFilter, type Transport } from '@modelcontextprotocol/client';
import { until } from '../mcp/shim-program.ts';

export type ClientEra = 'sessions' | 'stateless';

type Params = Record<string, unknown>;

const QUESTIONS = {
  'elicitation/create': { action: 'accept', content: { city: 'Brno' } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } },
  'roots/list': { roots: [{ uri: 'file:///tmp/x' }] },
} as const;
type Question = keyof typeof QUESTIONS;

const NOTIFICATIONS = [
  'notifications/message',
  'notifications/resources/updated',
  'notifications/tools/list_changed',
] as const;
type Notification = (typeof NOTIFICATIONS)[number];

const NEGOTIATION = { sessions: { mode: 'legacy' }, stateless: { mode: { pin: '2026-07-28' } } } as const;

export type FeatureClient = Awaited<ReturnType<typeof connectFeatureClient>>;

/** A client of the official SDK that answers every question of a server, and records what it is notified of. */
export async function connectFeatureClient(era: ClientEra, transport: Transport) {
  const mcp = new Client(
    { name: 'feature-client', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: { listChanged: true } },
      versionNegotiation: NEGOTIATION[era],
    },
  );
  const questions: { method: Question; params: Params }[] = [];
  const notifications: { method: Notification; params: Params }[] = [];
  for (const method of Object.keys(QUESTIONS) as Question[]) {
    mcp.setRequestHandler(method, async ({ params = {} }) => {
      questions.push({ method, params });
      return { ...QUESTIONS[method] } as never;
    });
  }
  for (const method of NOTIFICATIONS) {
    mcp.setNotificationHandler(method, ({ params = {} }) => void notifications.push({ method, params }));
  }
  await mcp.connect(transport);

  return {
    mcp,
    until: (isSo: () => boolean) => until('what the test waits for', isSo, 60_000),
    /** The parameters of the last question of this kind. */
    asked: (method: Question) => questions.findLast((one) => one.method === method)?.params,
    count: (method: Question) => questions.filter((one) => one.method === method).length,
    /** The parameters of the first notification that fits, when it has arrived. */
    async notified(method: Notification, fits: (params: Params) => boolean = () => true): Promise<Params> {
      const find = () => notifications.find((one) => one.method === method && fits(one.params));
      await until(method, () => find() !== undefined, 60_000);
      return find()?.params ?? {};
    },
    /** Asks for log messages, and returns the `_meta` that requests need for that. */
    async wantLog(level: LoggingLevel): Promise<Params> {
      if (era === 'stateless') return { 'io.modelcontextprotocol/logLevel': level };
      await mcp.setLoggingLevel(level);
      return {};
    },
    /** Follows changes, in the way of the era; returns what ends it. */
    async follow(filter: SubscriptionFilter): Promise<() => Promise<void>> {
      if (era === 'stateless') {
        const subscription = await mcp.listen(filter);
        return () => subscription.close();
      }
      const uris = filter.resourceSubscriptions ?? [];
      for (const uri of uris) await mcp.subscribeResource({ uri });
      return async () => {
        for (const uri of uris) await mcp.unsubscribeResource({ uri });
      };
    },
    close: () => mcp.close(),
  };
}

import { z } from 'zod';
import type { Connector } from '../connectors/connector.ts';
import { amount, Named, secret } from '../settings.ts';

/** Settings of every source. */
const Common = {
  ...Named,
  keep_days: z.int().min(1).max(36_500).optional().describe('Days after which messages are deleted; default: never.'),
};

/** Settings of sources whose network has a history. */
const WithHistory = {
  ...Common,
  history_days: z.int().min(0).max(36_500).default(365).describe('Days of history to fetch.'),
  history_messages: amount(100_000, 0, 100_000_000).describe('Maximum number of older messages to fetch per chat.'),
};

/** Kinds that need no connection: messages are posted to a webhook, and imported into an archive. */
const OwnKinds = {
  webhook: {
    secret: secret()
      .optional()
      .describe('Secret for signatures: HMAC-SHA256 in `x-switchboard-signature`, or Standard Webhooks.'),
  },
  archive: {},
};

/** A source as configured. Its other fields are checked by the schema of its kind. */
export interface SourceSettings {
  kind: string;
  name?: string | undefined;
  policy?: z.output<typeof Named.policy>;
  keep_days?: number | undefined;
  history_days?: number | undefined;
  history_messages?: number | undefined;
  /** Of a webhook. */
  secret?: string | undefined;
  [setting: string]: unknown;
}

/** A kind with its own settings; `open` is missing if it has no connector yet. */
export type SourceKind = Pick<Connector<never>, 'kind' | 'settings'> &
  Partial<Pick<Connector<never>, 'open' | 'login' | 'logout'>>;

/** One entry of `sources` in the configuration. Built when there is a source: it is as large as all other sections. */
export function sourceSchema(kinds: readonly SourceKind[]) {
  return z.lazy(() => {
    const options = [
      ...kinds.map(({ kind, settings, open }) =>
        option(kind, { ...(open ? WithHistory : Common), ...settings().shape }),
      ),
      ...Object.entries(OwnKinds).map(([kind, settings]) => option(kind, { ...Common, ...settings })),
    ];
    const [first, ...rest] = options;
    if (!first) throw new Error('there is no kind of source');
    return z.discriminatedUnion('kind', [first, ...rest]) as z.ZodType<SourceSettings>;
  });
}

function option(kind: string, settings: z.core.$ZodLooseShape) {
  return z.strictObject({ kind: z.literal(kind), ...settings });
}

/** The settings of a source that only its connector reads. */
export function connectorSettings({ kind, ...settings }: SourceSettings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !Object.hasOwn(WithHistory, key)));
}

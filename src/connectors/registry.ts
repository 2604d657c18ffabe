import { beeper } from './beeper/index.ts';
import type { Connector } from './connector.ts';
import { irc } from './irc/index.ts';
import { matrix } from './matrix/index.ts';
import { PLANNED } from './planned.ts';
import { signal } from './signal/index.ts';
import { xmpp } from './xmpp/index.ts';

/** All connectors. */
export const CONNECTORS: readonly Connector<never>[] = [beeper, irc, matrix, signal, xmpp];

/** All kinds of sources that need a connector, whether or not it exists yet. */
export const SOURCE_KINDS = [...CONNECTORS, ...PLANNED];

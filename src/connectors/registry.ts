import type { Connector } from './connector.ts';
import { irc } from './irc/index.ts';
import { matrix } from './matrix/index.ts';
import { PLANNED } from './planned.ts';
import { signal } from './signal/index.ts';
import { telegram } from './telegram/index.ts';
import { whatsapp } from './whatsapp/index.ts';
import { xmpp } from './xmpp/index.ts';

/** All connectors. */
export const CONNECTORS: readonly Connector<never>[] = [irc, matrix, signal, telegram, whatsapp, xmpp];

/** All kinds of sources that need a connector, whether or not it exists yet. */
export const SOURCE_KINDS = [...CONNECTORS, ...PLANNED];

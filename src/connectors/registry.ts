import { beeper } from './beeper/index.ts';
import type { Connector } from './connector.ts';
import { irc } from './irc/index.ts';
import { matrix } from './matrix/index.ts';
import { signal } from './signal/index.ts';
import { telegram } from './telegram/index.ts';
import { whatsapp } from './whatsapp/index.ts';
import { xmpp } from './xmpp/index.ts';

/** All connectors. */
export const CONNECTORS: readonly Connector<never>[] = [beeper, irc, matrix, signal, telegram, whatsapp, xmpp];

import type { Connector } from './connector.ts';
import { irc } from './irc/index.ts';
import { matrix } from './matrix/index.ts';
import { PLANNED } from './planned.ts';
import { xmpp } from './xmpp/index.ts';

/** Every network there is. */
export const CONNECTORS: readonly Connector<never>[] = [irc, matrix, xmpp];

/** Every kind of source that needs one of them, now or once it exists. */
export const SOURCE_KINDS = [...CONNECTORS, ...PLANNED];

import { connectorContract } from '../support/connector-contract.ts';
import { xmppWorld } from '../support/xmpp-world.ts';

connectorContract('XMPP on Prosody', { start: xmppWorld });

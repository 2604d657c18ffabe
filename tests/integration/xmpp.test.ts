import { connectorContract } from '../support/connectors/contract.ts';
import { xmppWorld } from '../support/xmpp/xmpp-world.ts';

connectorContract('XMPP on Prosody', { start: xmppWorld, lacks: ['login steps', 'downloads'] });

import { connectorContract } from '../support/connectors/contract.ts';
import { ircWorld } from '../support/irc/irc-world.ts';

connectorContract('IRC on Ergo', { start: ircWorld, lacks: ['edits', 'missed deletions', 'login steps', 'downloads'] });

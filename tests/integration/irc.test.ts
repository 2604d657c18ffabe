import { connectorContract } from '../support/connector-contract.ts';
import { ircWorld } from '../support/irc-world.ts';

connectorContract('IRC on Ergo', { start: ircWorld, lacks: ['edits', 'missed deletions'] });

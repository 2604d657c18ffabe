import { beeperWorld } from '../support/beeper/beeper-world.ts';
import { connectorContract } from '../support/connectors/contract.ts';

connectorContract('Beeper Desktop', { start: beeperWorld });

import { connectorContract } from '../support/connector-contract.ts';
import { matrixWorld } from '../support/matrix-world.ts';

connectorContract('Matrix', { start: matrixWorld });

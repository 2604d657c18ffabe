import { connectorContract } from '../support/connectors/contract.ts';
import { matrixWorld } from '../support/matrix/matrix-world.ts';

connectorContract('Matrix', { start: matrixWorld });

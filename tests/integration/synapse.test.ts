import { after, before } from 'node:test';
import { connectorContract } from '../support/connectors/contract.ts';
import { type Synapse, startSynapse } from '../support/matrix/synapse.ts';
import { synapseWorld } from '../support/matrix/synapse-world.ts';

let server: Synapse;
before(async () => {
  server = await startSynapse();
});
after(() => server?.stop());

connectorContract('Matrix on Synapse', { start: () => synapseWorld(server) });

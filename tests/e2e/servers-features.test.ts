import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { FEATURE_CHECKS } from '../support/servers/feature-checks.ts';
import type { FeatureClient } from '../support/servers/feature-client.ts';
import { type FeatureProgram, startFeatureProgram } from '../support/servers/feature-program.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder(after);
const ERAS = ['sessions', 'stateless'] as const;
const TRANSPORTS = ['stdio', 'http'] as const;
const CLIENTS = TRANSPORTS.flatMap((transport) => ERAS.map((era) => ({ transport, era })));
const COMBINATIONS = CLIENTS.flatMap((upstream) => CLIENTS.map((client) => ({ upstream, client }))).map(
  (combination, index) => ({ ...combination, server: `s${index}` }),
);

describe('HOST-22 everything that MCP has crosses the gateway', () => {
  let program: FeatureProgram;

  before(async () => {
    program = await startFeatureProgram(join(folder, 'home'));
    await Promise.all(COMBINATIONS.map(({ server, upstream }) => program.addFeatures(server, upstream)));
  });
  after(() => program.close());

  for (const {
    server,
    upstream,
    client: { transport, era },
  } of COMBINATIONS) {
    describe(`a client with ${era} over ${transport}, a server with ${upstream.era} over ${upstream.transport}`, () => {
      let client: FeatureClient;
      before(async () => {
        client = await program.connect(transport, era);
      });
      after(() => client.close());

      for (const { name, run } of FEATURE_CHECKS) {
        test(name, () => run({ client, server, dir: program.home }));
      }
    });
  }
});

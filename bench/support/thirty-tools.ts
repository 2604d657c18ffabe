import { type Capability, operation } from '../../src/operation.ts';
import { thirtyTools } from './tool-definitions.ts';

/** The thirty tools as a capability, so that they pass through everything that a real one does. */
export function thirtyToolsCapability(): Capability {
  return {
    name: 'bench',
    invalidInput: 'VALIDATION_ERROR',
    operations: thirtyTools().map(({ name, run, effect, ...definition }) =>
      operation({
        ...definition,
        effect,
        mcp: { name },
        kind: effect === 'reads' ? 'query' : 'command',
        run: async (input) => run(input),
      }),
    ),
    parts: {},
  };
}

import type { Capability } from '../../../src/capability.ts';
import * as operations from './operations.ts';

/** The thirty tools as a capability, so that they pass through everything that a real one does. */
export function thirtyToolsCapability(): Capability {
  return {
    name: 'bench',
    invalidInput: 'VALIDATION_ERROR',
    operations: Object.values(operations).filter((operation) => operation !== undefined),
    parts: {},
  };
}

import type { Capability } from '../../../src/capability.ts';
import * as operations from './operations.ts';

/** The thirty tools as a capability, so that calls take the same path as in the product. */
export function thirtyToolsCapability(): Capability {
  return {
    name: 'bench',
    invalidInput: 'VALIDATION_ERROR',
    operations: Object.values(operations).filter((operation) => operation !== undefined),
    parts: {},
  };
}

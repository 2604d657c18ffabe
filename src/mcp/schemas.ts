import type { OperationSchemas } from './operation-schema.ts';

/**
 * JSON Schemas of all operations that are tools, by the operation's name. Empty in the source; the build puts the computed ones here, because
 * computing them costs a stdio server a tenth of its start-up.
 */
export const BUILT_SCHEMAS: Record<string, OperationSchemas> = {};

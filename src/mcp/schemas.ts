import type { OperationSchemas } from './operation-schema.ts';

/**
 * JSON Schemas of all operations that are tools, by the operation's name. Empty in the source; the build inserts the
 * computed ones, because computing them takes a tenth of the start of a stdio server.
 */
export const BUILT_SCHEMAS: Record<string, OperationSchemas> = {};

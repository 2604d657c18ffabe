/**
 * Replaces the MCP SDK's `_shims` in the bundle, which would load AJV with every server although only elicitation and
 * JSON Schema tools use it. This one loads it on first use. That must be synchronous, so the validator is a separate
 * file next to this one.
 */
import { createRequire } from 'node:module';

// The module `node:process` would open all standard streams.
export const process = globalThis.process;

export const CORS_IS_POSSIBLE = false;

export class DefaultJsonSchemaValidator {
  #validator;

  getValidator(schema) {
    this.#validator ??= createValidator();
    return this.#validator.getValidator(schema);
  }
}

function createValidator() {
  const { AjvJsonSchemaValidator } = createRequire(import.meta.url)('./json-schema-validator.js');
  return new AjvJsonSchemaValidator();
}

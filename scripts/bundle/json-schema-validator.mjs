export { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';

/** What a message of each kind must have. */
const NEEDED: Readonly<Record<string, string>> = {
  isJSONRPCRequest: 'value?.method !== undefined && value.id !== undefined',
  isJSONRPCNotification: 'value?.method !== undefined && value.id === undefined',
  isJSONRPCResultResponse: 'value?.result !== undefined',
  isJSONRPCErrorResponse: 'value?.error !== undefined',
};

/**
 * The MCP SDK asks of every message whether it is of this kind, or that, or that, each time with a whole schema, and a schema
 * that refuses takes longest. Here it first looks for what such a message must have; what it answers stays the same.
 */
export function guardQuickly(code: string): string {
  let quick = code;
  for (const [guard, needed] of Object.entries(NEEDED)) {
    const beginning = `const ${guard} = (value) => `;
    if (quick.split(beginning).length !== 2) throw new Error(`The SDK does not declare ${guard} as it did.`);
    quick = quick.replace(beginning, () => `${beginning}${needed} && `);
  }
  return quick;
}

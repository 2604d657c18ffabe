/** What a message of each kind must have. */
const NEEDED: Readonly<Record<string, string>> = {
  isJSONRPCRequest: 'value?.method !== undefined && value.id !== undefined',
  isJSONRPCNotification: 'value?.method !== undefined && value.id === undefined',
  isJSONRPCResultResponse: 'value?.result !== undefined',
  isJSONRPCErrorResponse: 'value?.error !== undefined',
};

/** How the codec of the protocol with sessions checks what it is given. */
const CHECKED: Readonly<Record<string, string>> = {
  'validateRequest: (method, raw) => triState$1(':
    '__isPlainCall(method, raw) ? { ok: true, value: { method, params: raw.params } }',
  'validateResult: (method, raw) => triState$1(': '__isPlainResult(method, raw) ? { ok: true, value: raw }',
};

/** Calls and results of tools that have nothing which a schema could refuse or leave out. */
const PLAIN = `
function __isPlain(value) {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, '__proto__')) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
function __isPlainCall(method, raw) {
  if (method !== 'tools/call' || !__isPlain(raw) || raw.method !== method || !__isPlain(raw.params)) return false;
  for (const key in raw.params) if (key !== 'name' && key !== 'arguments') return false;
  return typeof raw.params.name === 'string' && __isPlain(raw.params.arguments);
}
function __isPlainResult(method, raw) {
  if (method !== 'tools/call' || !__isPlain(raw) || !Array.isArray(raw.content)) return false;
  for (const key in raw) if (key !== 'content' && key !== 'structuredContent' && key !== 'isError') return false;
  if ('structuredContent' in raw && !__isPlain(raw.structuredContent)) return false;
  return (!('isError' in raw) || typeof raw.isError === 'boolean') && raw.content.every(__isPlainText);
}
function __isPlainText(block) {
  if (!__isPlain(block) || block.type !== 'text' || typeof block.text !== 'string') return false;
  for (const key in block) if (key !== 'type' && key !== 'text') return false;
  return true;
}
`;

/**
 * The MCP SDK asks of every message whether it is of this kind, or that, or that, each time with a whole schema, and a schema
 * that refuses takes longest; then it checks each call of a tool and its result with schemas of its own. Here it first looks
 * for what such a message must have, and takes what is plain as it is. What it answers stays the same.
 */
export function guardQuickly(code: string): string {
  let quick = code;
  for (const [guard, needed] of Object.entries(NEEDED)) {
    const beginning = `const ${guard} = (value) => `;
    quick = replaceOnce(quick, beginning, `${beginning}${needed} && `);
  }
  for (const [check, plain] of Object.entries(CHECKED)) {
    const [head = '', tail = ''] = check.split('=> ');
    quick = replaceOnce(quick, check, `${head}=> ${plain} : ${tail}`);
  }
  return quick + PLAIN;
}

function replaceOnce(code: string, before: string, after: string): string {
  if (code.split(before).length !== 2) throw new Error(`The SDK does not have this any more: ${before}`);
  return code.replace(before, () => after);
}

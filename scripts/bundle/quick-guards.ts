/** What a message of each kind must have. */
const NEEDED: Readonly<Record<string, string>> = {
  isJSONRPCRequest: 'value?.method !== undefined && value.id !== undefined',
  isJSONRPCNotification: 'value?.method !== undefined && value.id === undefined',
  isJSONRPCResultResponse: 'value?.result !== undefined',
  isJSONRPCErrorResponse: 'value?.error !== undefined',
};

/** What is of a kind without asking its schema, which would have to be made first. */
const ENOUGH: Readonly<Record<string, string>> = { isInitializeRequest: '__isPlainHello(value)' };

/** How the codec of the protocol with sessions checks what it is given. */
const CHECKED: Readonly<Record<string, string>> = {
  'validateRequest: (method, raw) => triState$1(':
    '__isPlainRequest(method, raw) ? { ok: true, value: { method, params: raw.params } }',
  'validateResult: (method, raw) => triState$1(': '__isPlainResult(method, raw) ? { ok: true, value: raw }',
};

/** First messages, calls of tools and their results that have nothing which a schema could refuse or leave out. */
const PLAIN = `
function __isPlain(value) {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, '__proto__')) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
function __hasOnly(value, keys) {
  if (!__isPlain(value)) return false;
  for (const key in value) if (!keys.includes(key)) return false;
  return true;
}
function __isPlainRequest(method, raw) {
  if (!__isPlain(raw) || raw.method !== method) return false;
  return method === 'tools/call' ? __isPlainCall(raw.params) : method === 'initialize' && __isPlainHello(raw);
}
function __isPlainCall(params) {
  return __hasOnly(params, ['name', 'arguments']) && typeof params.name === 'string' && __isPlain(params.arguments);
}
function __isPlainHello(raw) {
  if (!__isPlain(raw) || raw.method !== 'initialize') return false;
  if (!__hasOnly(raw.params, ['protocolVersion', 'capabilities', 'clientInfo'])) return false;
  const { protocolVersion, capabilities, clientInfo } = raw.params;
  if (typeof protocolVersion !== 'string' || !__hasOnly(clientInfo, ['name', 'version'])) return false;
  if (typeof clientInfo.name !== 'string' || typeof clientInfo.version !== 'string') return false;
  return __hasOnly(capabilities, ['roots']) && (!('roots' in capabilities) || __isPlainRoots(capabilities.roots));
}
function __isPlainRoots(roots) {
  return __hasOnly(roots, ['listChanged']) && (!('listChanged' in roots) || typeof roots.listChanged === 'boolean');
}
function __isPlainResult(method, raw) {
  if (method !== 'tools/call' || !__hasOnly(raw, ['content', 'structuredContent', 'isError'])) return false;
  if ('structuredContent' in raw && !__isPlain(raw.structuredContent)) return false;
  if ('isError' in raw && typeof raw.isError !== 'boolean') return false;
  return Array.isArray(raw.content) && raw.content.every(__isPlainText);
}
function __isPlainText(block) {
  return __hasOnly(block, ['type', 'text']) && block.type === 'text' && typeof block.text === 'string';
}
`;

/**
 * The MCP SDK asks of every message whether it is of this kind, or that, or that, each time with a whole schema, and a schema
 * that refuses takes longest; then it checks the first message, each call of a tool and its result with schemas of its own.
 * Here it first looks for what such a message must have, and takes what is plain as it is. What it answers stays the same.
 */
export function guardQuickly(code: string): string {
  let quick = code;
  for (const [guard, needed] of Object.entries(NEEDED)) {
    const beginning = `const ${guard} = (value) => `;
    quick = replaceOnce(quick, beginning, `${beginning}${needed} && `);
  }
  for (const [guard, enough] of Object.entries(ENOUGH)) {
    const beginning = `const ${guard} = (value) => `;
    quick = replaceOnce(quick, beginning, `${beginning}${enough} || `);
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

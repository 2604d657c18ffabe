import fc, { type Arbitrary } from 'fast-check';
import { initializeParams, stateless } from './rpc-message.ts';

/** Ids, some of which are used repeatedly. */
const id = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: 0, max: 5 }) },
  fc.constantFrom('a', '', '__proto__', 'constructor', '\ud800', '0'),
  { weight: 4, arbitrary: fc.uuid() },
);

const text = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '\ud800', '\udfff\ud800', '\u0000', '\u2028', '', '*'),
  fc.constantFrom('echo', 'fail', 'ask', 'small://one', 'small://a/b', 'small://a b/c', 'small://%', 'small://*'),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** Parses as an own key, which an object literal would not have. */
const PROTOTYPE_KEY: unknown = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}');

const value: Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: text },
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom(null, true, -0, 1.5, 2 ** 53, 1e300, [], {}, { toString: 1, valueOf: 1 }, PROTOTYPE_KEY),
  fc.integer({ min: 10, max: 500 }).map(nested),
);

/** Valid parameters of each method; any part may be replaced. */
const PARAMS: Record<string, Record<string, unknown>> = {
  initialize: initializeParams('2025-06-18'),
  ping: {},
  'tools/list': { cursor: undefined },
  'tools/call': { name: 'echo', arguments: { value: 1 } },
  'resources/list': {},
  'resources/templates/list': {},
  'resources/read': { uri: 'small://a/b' },
  'resources/subscribe': { uri: 'small://a/*' },
  'resources/unsubscribe': { uri: 'small://a/*' },
  'prompts/list': {},
  'prompts/get': { name: 'ask', arguments: { what: 'this' } },
  'completion/complete': { ref: { type: 'ref/prompt', name: 'ask' }, argument: { name: 'what', value: 'x' } },
  'logging/setLevel': { level: 'info' },
  'server/discover': {},
  'subscriptions/listen': { notifications: { resourceSubscriptions: ['small://one'], toolsListChanged: true } },
  'tasks/get': { taskId: 'x' },
  'sampling/createMessage': {},
};

const META_KEYS = ['progressToken', 'io.modelcontextprotocol/related-task', 'io.modelcontextprotocol/protocolVersion'];

const method = fc.constantFrom(...Object.keys(PARAMS));

const meta = fc.dictionary(fc.constantFrom(...META_KEYS, 'x'), value, { maxKeys: 2 });

const params: Arbitrary<(method: string) => unknown> = fc.oneof(
  { weight: 4, arbitrary: fc.constant((name: string) => PARAMS[name]) },
  { weight: 3, arbitrary: fc.constant((name: string) => stateless(PARAMS[name] ?? {})) },
  fc.tuple(fc.nat(), value).map(
    ([at, wrong]) =>
      (name: string) =>
        replaceSome(PARAMS[name] ?? {}, at, wrong),
  ),
  fc.tuple(fc.nat(), value).map(
    ([at, wrong]) =>
      (name: string) =>
        replaceSome(stateless(PARAMS[name] ?? {}), at, wrong),
  ),
  meta.map((given) => (name: string) => ({ ...PARAMS[name], _meta: given })),
  value.map((given) => () => given),
);

const call = fc
  .record({ id, method: fc.oneof({ weight: 9, arbitrary: method }, text), params })
  .map((given) => ({ jsonrpc: '2.0', id: given.id, method: given.method, params: given.params(given.method) }));

const notice = fc
  .record({
    method: fc.oneof(fc.constantFrom('notifications/initialized', 'notifications/progress', 'tools/call'), text),
    params: fc.oneof(fc.constant(undefined), value),
  })
  .map((given) => ({ jsonrpc: '2.0', ...given }));

const cancellation = fc
  .record({ requestId: fc.oneof({ weight: 3, arbitrary: id }, value), reason: fc.oneof(fc.constant('enough'), value) })
  .map((given) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: given }));

const response = fc
  .record({ id: fc.oneof(id, value), result: value, error: value }, { requiredKeys: ['id'] })
  .map((given) => ({ jsonrpc: '2.0', ...given }));

/** A request in which one field of the envelope has an arbitrary value, or is missing. */
const brokenCall = fc
  .tuple(call, fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'extra'), fc.oneof(value, fc.constant(undefined)))
  .map(([given, field, wrong]) => ({ ...given, [field]: wrong }));

const single: Arbitrary<unknown> = fc.oneof(
  { weight: 8, arbitrary: call },
  { weight: 3, arbitrary: brokenCall },
  { weight: 2, arbitrary: notice },
  cancellation,
  response,
  value,
);

/** A JSON value that a client might send as one message. */
export const hostileMessage: Arbitrary<unknown> = fc.oneof(
  { weight: 12, arbitrary: single },
  fc.array(single, { maxLength: 6 }),
);

const json = hostileMessage.map((message) => toJson(message));

/** Messages nested too deeply to be serialized again, although they can be parsed. */
const deep = fc
  .tuple(id, fc.integer({ min: 2_000, max: 6_000 }), fc.constantFrom('call', 'notice', 'response'))
  .map(([given, depth, kind]) => {
    const value = `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    const parts = {
      call: `"id":${JSON.stringify(given)},"method":"tools/call","params":{"name":"echo","arguments":${value}}`,
      notice: `"method":"notifications/progress","params":{"progressToken":1,"progress":1,"x":${value}}`,
      response: `"id":${JSON.stringify(given)},"result":${value}`,
    };
    return `{"jsonrpc":"2.0",${parts[kind as keyof typeof parts]}}`;
  });

/** The bytes of one line, without its newline. */
export function hostileLine(limit: number): Arbitrary<Buffer> {
  const large = fc
    .tuple(call, fc.integer({ min: limit - 200, max: 3 * limit }))
    .map(([given, size]) => toJson({ ...given, params: { name: 'echo', arguments: { value: 'x'.repeat(size) } } }));
  return fc.oneof(
    { weight: 30, arbitrary: json.map((line) => Buffer.from(line)) },
    {
      weight: 2,
      arbitrary: fc.tuple(json, fc.nat()).map(([line, at]) => Buffer.from(line.slice(0, at % line.length))),
    },
    {
      weight: 2,
      arbitrary: fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10))),
    },
    { weight: 2, arbitrary: fc.oneof(large, deep).map((line) => Buffer.from(line)) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: limit * 2 }).map((depth) => Buffer.alloc(depth, '[')) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('', ' ', '\r', '\t\r', '\ufeff{}', 'null', '{}', '[]', '"', '{"id":1')
        .map((line) => Buffer.from(line)),
    },
  );
}

function toJson(message: unknown): string {
  return JSON.stringify(message) ?? 'null';
}

function nested(depth: number): unknown {
  return JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
}

/** The same with one value replaced, at any depth. */
function replaceSome(object: Record<string, unknown>, at: number, wrong: unknown): Record<string, unknown> {
  const keys = Object.keys(object);
  const key = keys[at % Math.max(1, keys.length)] ?? 'extra';
  const inner = object[key];
  const goesDeeper = typeof inner === 'object' && inner !== null && !Array.isArray(inner) && at % 3 !== 0;
  return {
    ...object,
    [key]: goesDeeper ? replaceSome(inner as Record<string, unknown>, Math.floor(at / 3), wrong) : wrong,
  };
}

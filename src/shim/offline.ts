import { version } from '../lib/version.ts';
import type { Outcome } from './http-exchange.ts';
import { claimedVersion, type Message, paramsOf } from './message.ts';

/** Why the server does not answer; `undefined` if it does. */
export function troubleOf(outcome: Outcome, url: URL): string | undefined {
  const { origin } = url;
  if (outcome.kind === 'lost') {
    return `The connection to Switchboard at ${origin} broke while this request ran; whether it took effect is not known.`;
  }
  if (outcome.kind === 'untrusted') {
    return `The certificate of ${origin} is not trusted here: ${DISTRUST[outcome.code] ?? UNKNOWN_AUTHORITY}.`;
  }
  if (outcome.kind === 'unreachable' || outcome.status >= 500) {
    return `Switchboard at ${origin} cannot be reached: check that the service runs there (start it with \`switchboard serve\`).`;
  }
  if (outcome.status === 401) {
    return `Switchboard at ${origin} refuses the token, or needs one: set SWITCHBOARD_API_TOKEN to one that \`switchboard token add\` made there.`;
  }
  if (outcome.status === 403) return `Switchboard at ${origin} refuses this client: check its token and its address.`;
  return undefined;
}

const UNKNOWN_AUTHORITY =
  'who issued it is not known (NODE_EXTRA_CA_CERTS can name a file with the certificate of that authority)';

const DISTRUST: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet; check the clock of this machine',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name than the one in --api-url',
  CERT_REVOKED: 'it was revoked',
};

/** The answer to a request without a server: from the manifest of the build, else an error. */
export async function offlineAnswer(message: Message, trouble: string, only: readonly string[]): Promise<object> {
  const known = await fromManifest(message, only);
  if (known) return { result: { ...known, ...statelessParts(message) } };
  const data = { code: 'SERVICE_UNAVAILABLE', reason: 'server_unreachable' };
  if (message.method !== 'tools/call') return { error: { code: -32603, message: trouble, data } };
  return {
    result: {
      isError: true,
      content: [{ type: 'text', text: trouble }],
      structuredContent: { error: { code: data.code, message: trouble } },
      ...statelessParts(message),
    },
  };
}

/** The lists in the manifest besides tools, by their names in the protocol. */
const LISTS: Readonly<Record<string, { from: 'resources' | 'templates' | 'prompts'; as: string }>> = {
  'resources/list': { from: 'resources', as: 'resources' },
  'resources/templates/list': { from: 'templates', as: 'resourceTemplates' },
  'prompts/list': { from: 'prompts', as: 'prompts' },
};

async function fromManifest(message: Message, only: readonly string[]): Promise<object | undefined> {
  const { method } = message;
  // Without sessions there is no such method.
  if (method === 'ping' && claimedVersion(message) === undefined) return {};
  const list = LISTS[String(method)];
  if (method !== 'initialize' && method !== 'server/discover' && method !== 'tools/list' && !list) return undefined;
  const { BUILT_MANIFEST: built } = await import('./manifest.ts');
  // Not cached: the server may be reachable at the next request.
  const passing = claimedVersion(message) === undefined ? {} : { ttlMs: 0, cacheScope: 'private' };
  const isServed = ({ capability }: { capability: string }) => only.length === 0 || only.includes(capability);
  if (method === 'tools/list') {
    const tools = built.tools
      .filter(isServed)
      .filter(({ aloneAs }) => only.length !== 1 || aloneAs !== undefined)
      .map(({ definition, aloneAs }) => (only.length === 1 ? { ...definition, name: aloneAs } : definition));
    return { tools, ...passing };
  }
  if (list) {
    const entries = built[list.from].filter(isServed).map(({ definition }) => definition);
    return { [list.as]: entries, ...passing };
  }
  const { capabilities } = built;
  if (method === 'server/discover') return { supportedVersions: [built.statelessVersion], capabilities, ...passing };
  const wanted = paramsOf(message).protocolVersion;
  const protocolVersion = built.sessionVersions.find((one) => one === wanted) ?? built.sessionVersions[0];
  return { protocolVersion, capabilities, serverInfo: serverInfo() };
}

function statelessParts(message: Message): object {
  if (claimedVersion(message) === undefined) return {};
  return { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': serverInfo() } };
}

function serverInfo() {
  return { name: 'switchboard', version: version() };
}

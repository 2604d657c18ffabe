import type { SecretGroups } from '../../capability.ts';
import type { ConfiguredValue, ServerConfig } from '../../domain/server-config.ts';
import { BEARER_SECRET, missingCredentials } from '../config/define-server.ts';
import { secretNamesIn, urlWithSecrets } from '../draft/draft-url.ts';

/** The group of a server's keys in the secrets store. */
export const keysOf = (id: string) => `server/${id}`;

export interface ResolvedValues {
  env: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  /** Address of a remote server, with the secrets in it; otherwise empty. */
  url: string;
}

/** The values of a server's variables and headers. Throws where one is missing, before anything is started. */
export async function resolveValues(config: ServerConfig, secrets: SecretGroups): Promise<ResolvedValues> {
  const missing: string[] = [];
  const resolveAll = async (values: Readonly<Record<string, ConfiguredValue>>) => {
    const resolved: Record<string, string> = {};
    for (const [name, configured] of Object.entries(values)) {
      const value = await resolveValue(config, configured, secrets);
      if (value !== undefined) resolved[name] = value;
      else if (configured.is_secret || configured.required) missing.push(name);
    }
    return resolved;
  };
  const env = await resolveAll(config.env_vars);
  const headers = await resolveAll(config.headers);
  if (config.auth.type === 'bearer') {
    const token = await secrets.get(keysOf(config.id), BEARER_SECRET);
    if (token === undefined) missing.push(BEARER_SECRET);
    else headers.Authorization = `Bearer ${token}`;
  }
  const address = 'url' in config.transport ? config.transport.url : '';
  const inUrl = new Map<string, string>();
  for (const name of secretNamesIn(address)) {
    const value = await secrets.get(keysOf(config.id), name);
    if (value === undefined) missing.push(name);
    else inUrl.set(name, value);
  }
  if (missing.length > 0) throw missingCredentials(missing);
  return { env, headers, url: urlWithSecrets(address, (name) => inUrl.get(name) ?? '') };
}

async function resolveValue(
  { id }: ServerConfig,
  { value, secret_ref: ref }: ConfiguredValue,
  secrets: SecretGroups,
): Promise<string | undefined> {
  if (ref !== undefined) return secrets.get(keysOf(id), ref);
  return value === undefined ? undefined : secrets.resolve(value);
}

import { createDraft, type DraftInput } from '../draft/draft.ts';
import type { DraftPlace } from '../draft/draft-places.ts';
import { isSafeAddress } from '../draft/draft-url.ts';
import { isHeaderName } from '../draft/package-names.ts';
import { isSecretHeader, isSecretName } from '../draft/secret-names.ts';
import { refersToSecrets, TAKES_SECRETS } from './references.ts';
import type { InstallOption, RegistryEntry } from './registry-entry.ts';
import { readConfigSchema, readConnection, type SmitheryProperty } from './smithery-schema.ts';
import { inputKey } from './texts.ts';

/** A connection of a server of Smithery. Only servers at an address can be used: a bundle is code to be downloaded. */
export function smitheryOption(item: unknown, { id, title }: Pick<RegistryEntry, 'id' | 'title'>): InstallOption {
  const connection = readConnection(item);
  if (connection === undefined) return { package: 'unknown', reason: 'its entry in the registry is malformed' };
  if (connection.type !== 'http') return { package: 'bundle', reason: 'bundles of Smithery are not supported' };
  const { deploymentUrl: url } = connection;
  if (url === undefined || !isSafeAddress(url)) return { package: 'http', reason: 'its address is not HTTPS' };
  const fields = uniqueByKey(readConfigSchema(connection.configSchema));
  const inputs = fields.map(({ name, property, required }) => toInput(name, property, required));
  const places = [{ in: 'url', text: [url] } as const, ...fields.map(({ name, property }) => placeOf(name, property))];
  if (refersToSecrets(places, inputs)) return { package: 'http', reason: TAKES_SECRETS };
  const draft = createDraft(
    {
      name: title,
      source: { type: 'smithery', qualified_name: id },
      package: { type: 'http', identifier: url },
      transport: { type: 'http', url },
    },
    { inputs, places },
  );
  return { package: 'http', draft };
}

/** Two names that differ only in characters that a key cannot have would be one input. */
function uniqueByKey<T extends { name: string }>(fields: readonly T[]): readonly T[] {
  return [...new Map(fields.toReversed().map((field) => [inputKey(field.name), field])).values()].toReversed();
}

function toInput(name: string, property: SmitheryProperty, required: boolean): DraftInput {
  const { type, title, description, format, enum: choices } = property;
  const header = property['x-from']?.header;
  const isNumber = type === 'number' || type === 'integer';
  return {
    key: inputKey(name),
    kind: 'config',
    ...(description || title ? { description: description || title || '' } : {}),
    required,
    secret: format === 'password' || isSecretName(name) || (header !== undefined && isSecretHeader(header)),
    ...(property.default && !/[\0\r\n]/.test(property.default) ? { default: property.default } : {}),
    ...(choices && choices.length > 0 ? { choices } : {}),
    ...(isNumber ? { format: 'number' } : type === 'boolean' ? { format: 'boolean' } : {}),
  };
}

/** The configuration of a session is in the query of its address, except for what the server takes from headers. */
function placeOf(name: string, property: SmitheryProperty): DraftPlace {
  const text = [{ input: inputKey(name) }];
  const { header, query } = property['x-from'] ?? {};
  if (header !== undefined && isHeaderName(header)) return { in: 'header', name: header, text };
  return { in: 'query', name: query ?? name, text };
}

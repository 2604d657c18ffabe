import { z } from 'zod';
import { isRecord } from '../../lib/is-record.ts';
import { DESCRIPTION_LENGTH, shortText } from './texts.ts';

const MAX_ITEMS = 100;
const MAX_VALUE = 4_000;
/** The deepest that anything we read is nested. */
const MAX_DEPTH = 12;

const value = z
  .union([z.string(), z.number(), z.boolean()])
  .transform(String)
  .pipe(z.string().max(MAX_VALUE))
  .optional()
  .catch(undefined);
const flag = z.boolean().optional().catch(undefined);

const inputFields = {
  description: shortText(DESCRIPTION_LENGTH),
  isRequired: flag,
  isSecret: flag,
  isRepeated: flag,
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional().catch(undefined),
  value,
  default: value,
  choices: z.array(z.string().max(MAX_VALUE)).max(MAX_ITEMS).optional().catch(undefined),
};
const Input = z.object(inputFields);
const variables = z.record(z.string().max(200), Input).optional();
const KeyValueInput = z.object({ ...inputFields, name: z.string().min(1).max(200), variables });
const Argument = z.discriminatedUnion('type', [
  z.object({ ...inputFields, type: z.literal('positional'), valueHint: shortText(100), variables }),
  z.object({ ...inputFields, type: z.literal('named'), name: z.string().min(1).max(200), variables }),
]);
const list = <T extends z.ZodType>(item: T) => z.array(item).max(MAX_ITEMS).default([]);

const Package = z.object({
  registryType: z.string().max(50),
  identifier: z.string().min(1).max(500),
  version: z.string().max(255).optional(),
  runtimeHint: z.string().max(200).optional(),
  transport: z.object({ type: z.string().max(50) }).default({ type: 'stdio' }),
  runtimeArguments: list(Argument),
  packageArguments: list(Argument),
  environmentVariables: list(KeyValueInput),
});
const Remote = z.object({
  type: z.string().max(50),
  url: z.string().min(1).max(2_000),
  headers: list(KeyValueInput),
  variables,
});

export function isServerName(name: string): boolean {
  return /^[A-Za-z0-9.-]+\/[A-Za-z0-9._-]+$/.test(name);
}

const OfficialServer = z.object({
  name: z.string().max(200).refine(isServerName),
  description: shortText(500),
  title: shortText(100),
  version: z.string().max(255).optional(),
  versionDetail: z.object({ version: z.string().max(255).optional() }).optional(),
  websiteUrl: shortText(500),
  packages: z.array(z.unknown()).max(MAX_ITEMS).default([]),
  remotes: z.array(z.unknown()).max(MAX_ITEMS).default([]),
});
const Status = z.object({
  status: z.enum(['active', 'deprecated', 'deleted']).catch('active'),
  statusMessage: shortText(500),
  isLatest: flag,
});

export type OfficialInput = z.infer<typeof Input>;
export type OfficialArgument = z.infer<typeof Argument>;
export type OfficialKeyValue = z.infer<typeof KeyValueInput>;
export type OfficialPackage = z.infer<typeof Package>;
export type OfficialRemote = z.infer<typeof Remote>;
export type OfficialResponse = z.infer<typeof OfficialServer> & { status: z.infer<typeof Status> };

const STATUS_KEY = 'io.modelcontextprotocol.registry/official';

/** An item of a list, or the answer with details; undefined when it is malformed. */
export function readServer(item: unknown): OfficialResponse | undefined {
  const tidy = withCurrentNames(item);
  if (!isRecord(tidy)) return undefined;
  const server = OfficialServer.safeParse(tidy.server);
  if (!server.success) return undefined;
  const meta = isRecord(tidy._meta) ? tidy._meta[STATUS_KEY] : undefined;
  const status = Status.safeParse(meta ?? {});
  return { ...server.data, status: status.success ? status.data : { status: 'active' } };
}

export function readPackage(item: unknown): OfficialPackage | undefined {
  return Package.safeParse(item).data;
}

export function readRemote(item: unknown): OfficialRemote | undefined {
  return Remote.safeParse(item).data;
}

export const ListPage = z.object({
  servers: z.array(z.unknown()).max(1_000),
  metadata: z.object({ nextCursor: z.string().min(1).max(2_000).optional().catch(undefined) }).default({}),
});

/** Older entries, and their names today. */
const RENAMED = new Map(
  Object.entries({
    registry_type: 'registryType',
    registry_name: 'registryType',
    runtime_hint: 'runtimeHint',
    runtime_arguments: 'runtimeArguments',
    package_arguments: 'packageArguments',
    environment_variables: 'environmentVariables',
    transport_type: 'type',
    value_hint: 'valueHint',
    is_required: 'isRequired',
    is_secret: 'isSecret',
    is_repeated: 'isRepeated',
    is_latest: 'isLatest',
    status_message: 'statusMessage',
    version_detail: 'versionDetail',
    website_url: 'websiteUrl',
  }),
);

/** The value with today's names of fields, without what is nested deeper than any entry is. */
function withCurrentNames(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) return value.map((item) => withCurrentNames(item, depth + 1));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
    const current = RENAMED.get(key);
    const name = current === undefined || Object.hasOwn(value, current) ? key : current;
    return [name, withCurrentNames(inner, depth + 1)];
  });
  return Object.fromEntries(entries);
}

import { z } from 'zod';

const text = z.string().max(32_000);
const scalar = z.union([z.string(), z.number(), z.boolean()]).transform(String).pipe(text);
const scopes = z.union([text.transform((list) => list.split(/[\s,]+/).filter(Boolean)), z.array(text).max(100)]);

/** A server in the configuration of any of the programs. Fields that we do not use are left out. */
const ConfigEntry = z.object({
  type: z.string().max(50).optional(),
  transport: z.string().max(50).optional().catch(undefined),
  command: text.optional(),
  args: z.array(scalar).max(500).default([]),
  env: z.record(z.string(), scalar.nullable()).default({}),
  envFile: text.optional(),
  cwd: text.optional(),
  url: text.optional(),
  /** Windsurf. */
  serverUrl: text.optional(),
  headers: z.record(z.string(), scalar).default({}),
  headersHelper: z.unknown().optional(),
  disabled: z.boolean().optional().catch(undefined),
  enabled: z.boolean().optional().catch(undefined),
  disabledTools: z.array(z.string().max(200)).max(1_000).optional().catch(undefined),
  oauth: z.object({ clientId: text.optional(), scopes: scopes.optional() }).optional().catch(undefined),
  /** Cursor. */
  auth: z
    .object({ CLIENT_ID: text, CLIENT_SECRET: text.optional(), scopes: scopes.optional() })
    .optional()
    .catch(undefined),
});
export type ConfigEntry = z.infer<typeof ConfigEntry>;

export function readConfigEntry(value: unknown): ConfigEntry | undefined {
  return ConfigEntry.safeParse(value).data;
}

/** How the server is reached; `other` cannot be. */
export function transportOf(entry: ConfigEntry): 'stdio' | 'http' | 'sse' | 'other' {
  const type = (entry.type ?? entry.transport)?.toLowerCase().replace(/[-_]/g, '');
  if (type === undefined) return entry.command === undefined ? 'http' : 'stdio';
  if (type === 'stdio' || type === 'local') return 'stdio';
  if (type === 'sse') return 'sse';
  return type === 'http' || type === 'streamablehttp' || type === 'remote' ? 'http' : 'other';
}

const InputDefinition = z.object({
  id: z.string().min(1).max(100),
  type: z.string().max(50),
  description: z.string().max(2_000).optional().catch(undefined),
  password: z.boolean().optional().catch(undefined),
  default: text.optional().catch(undefined),
  options: z
    .array(z.union([text, z.object({ value: text }).transform(({ value }) => value)]))
    .max(200)
    .optional()
    .catch(undefined),
});

/** The `inputs` of VS Code that are well-formed. */
export function readInputDefinitions(value: unknown): readonly z.infer<typeof InputDefinition>[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, 200).flatMap((item) => {
    const { data } = InputDefinition.safeParse(item);
    return data === undefined ? [] : [data];
  });
}

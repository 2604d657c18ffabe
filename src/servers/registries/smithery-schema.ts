import { z } from 'zod';
import { shortText } from './texts.ts';

const entryFields = {
  qualifiedName: z.string().max(200).refine(isQualifiedName),
  displayName: shortText(100),
  description: shortText(500),
};

const Entry = z.object({
  ...entryFields,
  homepage: shortText(500),
  verified: z.boolean().optional().catch(undefined),
  useCount: z.number().optional().catch(undefined),
});

export const SearchPage = z.object({
  servers: z.array(z.unknown()).max(1_000),
  pagination: z.object({ totalPages: z.number().catch(1) }).default({ totalPages: 1 }),
});

export const SmitheryDetails = z.object({
  ...entryFields,
  connections: z.array(z.unknown()).max(100).default([]),
});

/** `stdioFunction` and bundles are not read: they are code. */
const Connection = z.object({
  type: z.string().max(50),
  deploymentUrl: z.string().max(2_000).optional().catch(undefined),
  configSchema: z.unknown().optional(),
});

const text = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const names = z.object({ header: z.string().max(200).optional(), query: z.string().max(200).optional() });

/** The part of JSON Schema that forms are made of. */
const Property = z.object({
  type: z.string().optional().catch(undefined),
  title: shortText(100),
  description: shortText(300),
  default: text.optional().catch(undefined),
  enum: z.array(text).max(100).optional().catch(undefined),
  format: z.string().optional().catch(undefined),
  /** Where the value goes when it is not the query parameter of its name. */
  'x-from': names.optional().catch(undefined),
});

const ConfigSchema = z.object({
  required: z.array(z.string()).max(1_000).default([]).catch([]),
  properties: z.record(z.string().max(200), z.unknown()).default({}).catch({}),
});

export type SmitheryEntry = z.infer<typeof Entry>;
export type SmitheryProperty = z.infer<typeof Property>;

export function isQualifiedName(name: string): boolean {
  return /^@?\w[\w.-]*(\/\w[\w.-]*)?$/.test(name);
}

export function readEntry(item: unknown): SmitheryEntry | undefined {
  return Entry.safeParse(item).data;
}

export function readConnection(item: unknown): z.infer<typeof Connection> | undefined {
  return Connection.safeParse(item).data;
}

/** The properties of a configuration; empty when it has none or is malformed. */
export function readConfigSchema(
  schema: unknown,
): readonly { name: string; property: SmitheryProperty; required: boolean }[] {
  const { required, properties } = ConfigSchema.safeParse(schema).data ?? { required: [], properties: {} };
  return Object.entries(properties)
    .slice(0, 100)
    .map(([name, item]) => ({
      name,
      property: Property.safeParse(item).data ?? Property.parse({}),
      required: required.includes(name),
    }));
}

/** A schema as JSON, as far as it is looked at here. */
export interface FieldSchema {
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  properties?: Record<string, FieldSchema>;
  items?: FieldSchema;
  anyOf?: readonly FieldSchema[];
  additionalProperties?: FieldSchema | boolean;
}

/** Descriptions of input fields say their defaults and ranges, too: some clients drop the keywords for them. */
export function withWordedLimits(schema: FieldSchema): FieldSchema {
  const { properties, items, anyOf, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties ? { properties: mapped(properties, (field) => withWordedLimits(described(field))) } : {}),
    ...(items ? { items: withWordedLimits(items) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((each) => withWordedLimits(each)) } : {}),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: withWordedLimits(additionalProperties) }
      : {}),
  };
}

function described(field: FieldSchema): FieldSchema {
  const { description } = field;
  if (description === undefined) return field;
  const said = [...defaultOf(field), ...rangeOf(field)];
  const more = said.join(', ');
  return said.length === 0
    ? field
    : { ...field, description: `${description} ${more[0]?.toUpperCase()}${more.slice(1)}.` };
}

function defaultOf({ description = '', default: value }: FieldSchema): string[] {
  const isSaid = /default/i.test(description);
  const isEmpty = value === '' || (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  return value === undefined || isSaid || isEmpty ? [] : [`default ${String(value)}`];
}

function rangeOf({ description = '', minimum, maximum, minItems, maxItems }: FieldSchema): string[] {
  const isSaid = (limit: number) => new RegExp(`\\b${limit}\\b`).test(description.replaceAll(',', ''));
  if (minimum !== undefined && maximum !== undefined) {
    return isSaid(minimum) && isSaid(maximum) ? [] : [`${minimum} to ${maximum}`];
  }
  return [
    ...(minimum === undefined || isSaid(minimum) ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined || isSaid(maximum) ? [] : [`at most ${maximum}`]),
    ...(minItems === undefined || isSaid(minItems) ? [] : [`at least ${minItems}`]),
    ...(maxItems === undefined || isSaid(maxItems) ? [] : [`at most ${maxItems}`]),
  ];
}

function mapped<Value>(record: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

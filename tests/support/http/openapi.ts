const METHODS = new Set(['get', 'put', 'post', 'delete']);
const PLACES = new Set(['path', 'query', 'header']);

interface Described {
  operationId?: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: object; content?: object }[];
  requestBody?: { content?: object };
  responses?: Record<string, object>;
}

/** What the OpenAPI 3.1 specification requires of a document like ours, and this one lacks. */
export function problemsOf(document: object): string[] {
  const {
    openapi,
    info,
    paths = {},
  } = document as {
    openapi?: string;
    info?: { title?: string; version?: string };
    paths?: Record<string, Record<string, Described>>;
  };
  const problems = [
    ...(openapi?.startsWith('3.1.') ? [] : ['openapi must be 3.1.x']),
    ...(info?.title && info.version ? [] : ['info needs title and version']),
    ...brokenReferences(document),
  ];
  const ids = new Set<string | undefined>();
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, described] of Object.entries(item)) {
      const where = `${method} ${path}`;
      if (!METHODS.has(method)) problems.push(`${where}: no such method`);
      if (described.operationId === undefined) problems.push(`${where}: no operationId`);
      if (ids.has(described.operationId)) problems.push(`${where}: ${described.operationId} is there twice`);
      ids.add(described.operationId);
      problems.push(...problemsOfOperation(path, described).map((problem) => `${where}: ${problem}`));
    }
  }
  return problems;
}

function problemsOfOperation(path: string, { parameters = [], requestBody, responses = {} }: Described): string[] {
  const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
  return [
    ...(path.startsWith('/') && !path.includes(':') ? [] : ['not a path template']),
    ...variables.filter((name) => !inPath.some((one) => one.name === name)).map((name) => `{${name}} is no parameter`),
    ...inPath.filter((one) => !variables.includes(one.name)).map((one) => `${one.name} is not in the path`),
    ...inPath.filter((one) => one.required !== true).map((one) => `${one.name} must be required`),
    ...parameters.filter((one) => !PLACES.has(one.in)).map((one) => `${one.name} is in ${one.in}`),
    ...parameters.filter((one) => !one.schema === !one.content).map((one) => `${one.name} needs a schema or content`),
    ...(new Set(keys).size === keys.length ? [] : ['a parameter is there twice']),
    ...(requestBody && !requestBody.content ? ['a body needs content'] : []),
    ...(Object.keys(responses).length > 0 ? [] : ['no responses']),
    ...Object.keys(responses)
      .filter((status) => !/^(default|[1-5](\d\d|XX))$/.test(status))
      .map((status) => `${status} is no status`),
  ];
}

function brokenReferences(document: object): string[] {
  const broken: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$ref' in value && typeof value.$ref === 'string' && resolve(document, value.$ref) === undefined) {
      broken.push(`${value.$ref} leads nowhere`);
    }
    for (const inner of Object.values(value)) walk(inner);
  };
  walk(document);
  return broken;
}

function resolve(document: object, reference: string): unknown {
  const steps = reference.replace(/^#\//, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document);
}

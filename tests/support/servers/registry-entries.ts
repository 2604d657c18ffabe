/** Entries in the form in which the two public registries answer. All names are invented. */
const STATUS = 'io.modelcontextprotocol.registry/official';

export interface OfficialRow {
  server: { name: string; description: string; version: string; [field: string]: unknown };
  _meta: Record<string, { status: string; isLatest: boolean; [field: string]: unknown }>;
}

export const OFFICIAL: readonly OfficialRow[] = [
  row({
    name: 'io.github.example/weather',
    title: 'Weather',
    description: 'Weather forecasts by city',
    version: '1.2.0',
    websiteUrl: 'https://example.com/weather',
    packages: [
      {
        registryType: 'npm',
        identifier: '@example/weather-mcp',
        version: '1.2.0',
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: [
          { name: 'WEATHER_API_KEY', description: 'API key', isRequired: true, isSecret: true },
          { name: 'UNITS', description: 'Units', default: 'metric', choices: ['metric', 'imperial'] },
        ],
      },
    ],
  }),
  row(
    {
      name: 'io.github.example/weather',
      description: 'Weather forecasts by city',
      version: '1.1.0',
      packages: [
        { registryType: 'npm', identifier: '@example/weather-mcp', version: '1.1.0', transport: { type: 'stdio' } },
      ],
    },
    { isLatest: false },
  ),
  row({
    name: 'io.github.example/files',
    title: 'Files',
    description: 'Read and write files under given folders',
    version: '0.9.1',
    packages: [
      {
        registryType: 'npm',
        identifier: '@example/files-mcp',
        version: '0.9.1',
        transport: { type: 'stdio' },
        packageArguments: [
          { type: 'positional', valueHint: 'target_dir', format: 'filepath', isRequired: true, isRepeated: true },
          { type: 'named', name: '--log-level', default: 'info', choices: ['debug', 'info'] },
        ],
      },
    ],
  }),
  row({
    name: 'com.example/database',
    title: 'Database',
    description: 'SQL queries',
    version: '3.1.0',
    packages: [
      {
        registryType: 'oci',
        identifier: 'ghcr.io/example/database-mcp:3.1.0',
        runtimeHint: 'docker',
        transport: { type: 'stdio' },
        runtimeArguments: [
          {
            type: 'named',
            name: '--mount',
            value: 'type=bind,src={source_path},dst={target_path}',
            isRequired: true,
            isRepeated: true,
            variables: {
              source_path: { description: 'Host path', format: 'filepath', isRequired: true },
              target_path: { description: 'Path inside', default: '/project' },
            },
          },
        ],
        environmentVariables: [{ name: 'DB_PASSWORD', isRequired: true, isSecret: true }],
      },
    ],
  }),
  row({
    name: 'io.github.example/notes',
    description: 'Notes',
    version: '0.5.0',
    packages: [
      {
        registryType: 'pypi',
        identifier: 'notes-mcp',
        version: '0.5.0',
        runtimeHint: 'uvx',
        transport: { type: 'stdio' },
      },
    ],
  }),
  row({
    name: 'io.github.example/editor',
    description: 'Text editor bundle',
    version: '1.0.0',
    packages: [
      {
        registryType: 'mcpb',
        identifier: 'https://github.com/example/editor/releases/download/v1.0.0/editor.mcpb',
        fileSha256: 'fe333e598595000ae021bd27117db32ec69af6987f507ba7a63c90638ff633ce',
        transport: { type: 'stdio' },
      },
    ],
  }),
  row({
    name: 'com.example/tickets',
    title: 'Tickets',
    description: 'Ticket system',
    version: '2.0.0',
    remotes: [
      {
        type: 'streamable-http',
        url: 'https://{tenant}.example.com/mcp',
        variables: { tenant: { description: 'Tenant', isRequired: true } },
        headers: [
          {
            name: 'Authorization',
            isRequired: true,
            isSecret: true,
            value: 'Bearer {token}',
            variables: { token: { description: 'Token', isRequired: true, isSecret: true } },
          },
        ],
      },
      { type: 'sse', url: 'https://tickets.example.com/sse' },
    ],
  }),
  row(
    {
      name: 'io.github.example/old-weather',
      description: 'Old weather server',
      version: '0.1.0',
      packages: [{ registryType: 'npm', identifier: 'old-weather', version: '0.1.0', transport: { type: 'stdio' } }],
    },
    { status: 'deprecated', statusMessage: 'Use io.github.example/weather' },
  ),
  row({ name: 'io.github.example/gone', description: 'Gone', version: '0.0.1' }, { status: 'deleted' }),
  ...Array.from({ length: 240 }, (_, index) =>
    row({
      name: `io.github.bulk/server-${String(index).padStart(3, '0')}`,
      description: `Bulk entry ${index}`,
      version: '1.0.0',
      packages: [{ registryType: 'npm', identifier: `bulk-${index}`, version: '1.0.0', transport: { type: 'stdio' } }],
    }),
  ),
];

export const SMITHERY = [
  {
    id: '11111111-1111-4111-8111-111111111111',
    qualifiedName: 'example/weather',
    displayName: 'Weather',
    description: 'Weather forecasts by city',
    homepage: 'https://smithery.ai/servers/example/weather',
    iconUrl: null,
    verified: true,
    useCount: 11451,
    remote: true,
    owner: null,
  },
  {
    id: '22222222-2222-4222-8222-222222222222',
    qualifiedName: 'example/local-files',
    displayName: 'Local files',
    description: 'Files over stdio',
    homepage: 'https://smithery.ai/servers/example/local-files',
    iconUrl: null,
    verified: false,
    useCount: 12,
    remote: false,
    owner: null,
  },
];

export const SMITHERY_DETAILS: Record<string, unknown> = {
  'example/weather': {
    qualifiedName: 'example/weather',
    displayName: 'Weather',
    description: 'Weather forecasts by city',
    remote: true,
    deploymentUrl: 'https://weather.example.run',
    connections: [
      {
        type: 'http',
        deploymentUrl: 'https://weather.example.run/mcp',
        configSchema: {
          type: 'object',
          required: ['apiKey'],
          properties: {
            apiKey: { type: 'string', description: 'API key' },
            units: { type: 'string', enum: ['metric', 'imperial'], default: 'metric' },
            team: { type: 'string', 'x-from': { header: 'X-Team' } },
          },
        },
      },
    ],
    security: { scanPassed: true },
    tools: null,
  },
  'example/local-files': {
    qualifiedName: 'example/local-files',
    displayName: 'Local files',
    description: 'Files over stdio',
    remote: false,
    deploymentUrl: null,
    connections: [
      {
        type: 'stdio',
        bundleUrl: '/servers/example/local-files/download',
        runtime: 'node',
        stdioFunction: 'globalThis.smitheryFunctionRan = true',
        configSchema: { type: 'object', properties: { allowedPaths: { type: 'array', items: { type: 'string' } } } },
      },
    ],
    security: null,
    tools: null,
  },
};

export function statusOf({ _meta }: OfficialRow): { status: string; isLatest: boolean } {
  return _meta[STATUS] ?? { status: 'active', isLatest: true };
}

function row(server: OfficialRow['server'], status: object = {}): OfficialRow {
  const published = { status: 'active', isLatest: true, publishedAt: '2026-05-01T08:00:00Z', ...status };
  return { server, _meta: { [STATUS]: published } };
}

import { AppError } from '../domain/errors.ts';
import type { Log } from '../lib/log.ts';
import type { ClaudeApi } from './api/request.ts';
import type { ClaudeSettings } from './settings.ts';

export interface ApiAccessParts {
  settings(): Promise<ClaudeSettings>;
  log: Log;
}

/** Opens the client of the Claude API, and another one when its settings have changed. Throws where there is no API key. */
export function createApiAccess({ settings, log }: ApiAccessParts): () => Promise<ClaudeApi> {
  let opened: { section: object; api: ClaudeApi } | undefined;
  return async () => {
    const { claude: section } = await settings();
    if (opened?.section === section) return opened.api;
    const { api_key: apiKey, base_url: baseUrl, timeout_ms: timeoutMs, max_retries: maxRetries } = section;
    if (!apiKey) throw missingKey();
    const { createClaudeApi } = await import('./api/client.ts');
    opened = { section, api: createClaudeApi({ apiKey, baseUrl, timeoutMs, maxRetries }, log) };
    return opened.api;
  };
}

function missingKey(): AppError {
  return new AppError(
    'SERVICE_UNAVAILABLE',
    'No API key of the Claude API is configured. Everything else works without it.',
    {
      field: 'claude.api_key',
      hint: 'Set the environment variable ANTHROPIC_API_KEY, or claude.api_key in config.yaml.',
    },
  );
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type versions from './versions.json';

export type ProgramName = keyof typeof versions;

export interface ProgramSetting {
  /** The home of the user. */
  user: string;
  /** The scripted model. */
  model: string;
}

/** How an assistant is run without a person and without its maker: a prompt, a model on loopback, no updates, no telemetry. */
export interface AssistantProgram {
  /** Its executable or script, in its folder of `node_modules`. */
  main: string;
  /** Whether Node runs it. */
  isScript?: boolean;
  /** Whether its model finds tools by a search first. */
  defersTools?: boolean;
  args(prompt: string, setting: ProgramSetting): readonly string[];
  env(setting: ProgramSetting): Record<string, string>;
  /** Writes the configuration of the user that chooses the model, before Switchboard is connected. */
  prepare?(setting: ProgramSetting): void;
}

const PLATFORM = `${process.platform}-${process.arch}`;
const MODEL = 'scripted';
/** Of Cline. */
const PROVIDER = 'openai-compatible';

export const PROGRAMS: Readonly<Record<ProgramName, AssistantProgram>> = {
  'claude-code': {
    main: `@anthropic-ai/claude-code-${PLATFORM}/claude`,
    defersTools: true,
    args: (prompt) => ['-p', prompt, '--allowedTools', 'mcp__switchboard,ToolSearch'],
    env: ({ model }) => ({
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: 'none',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  codex: {
    main: '@openai/codex/bin/codex.js',
    isScript: true,
    args: (prompt) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: () => ({ SCRIPTED_KEY: 'none' }),
    prepare({ user, model }) {
      const provider = `name = "scripted"\nbase_url = "${model}/v1"\nwire_api = "responses"\nenv_key = "SCRIPTED_KEY"\n`;
      const head = `model = "${MODEL}"\nmodel_provider = "scripted"\ncheck_for_update_on_startup = false\n`;
      const tables = `[analytics]\nenabled = false\n\n[features]\ndaemon_auto_start = false\n`;
      write(join(user, '.codex', 'config.toml'), `${head}\n[model_providers.scripted]\n${provider}\n${tables}`);
    },
  },
  gemini: {
    main: '@google/gemini-cli',
    isScript: true,
    args: (prompt) => ['-p', prompt, '--approval-mode', 'yolo'],
    env: ({ model }) => ({
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model,
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
    prepare({ user }) {
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      };
      write(join(user, '.gemini', 'settings.json'), `// of the user\n${JSON.stringify(settings, null, 2)}\n`);
    },
  },
  copilot: {
    main: `@github/copilot-${PLATFORM}/copilot`,
    args: (prompt) => ['-p', prompt, '--allow-all-tools'],
    env: ({ model }) => ({
      COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
      COPILOT_PROVIDER_API_KEY: 'none',
      COPILOT_MODEL: MODEL,
      COPILOT_AUTO_UPDATE: 'false',
      COPILOT_OFFLINE: 'true',
    }),
  },
  opencode: {
    main: `opencode-${PLATFORM}/bin/opencode`,
    args: (prompt) => ['run', '-m', `scripted/${MODEL}`, prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_SHARE: '1' }),
    prepare({ user, model }) {
      const provider = {
        npm: '@ai-sdk/openai-compatible',
        name: 'scripted',
        options: { baseURL: `${model}/v1`, apiKey: 'none' },
        models: { [MODEL]: { name: MODEL, tool_call: true } },
      };
      const config = { autoupdate: false, share: 'disabled', provider: { scripted: provider } };
      write(join(user, '.config', 'opencode', 'opencode.json'), JSON.stringify(config, null, 2));
    },
  },
  qwen: {
    main: '@qwen-code/qwen-code',
    defersTools: true,
    isScript: true,
    args: (prompt) => ['-p', prompt, '--yolo', '--auth-type', 'openai'],
    env: ({ model }) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: MODEL }),
    prepare({ user }) {
      const settings = { general: { enableAutoUpdate: false }, privacy: { usageStatisticsEnabled: false } };
      write(join(user, '.qwen', 'settings.json'), JSON.stringify(settings, null, 2));
    },
  },
  cline: {
    main: `@cline/cli-${PLATFORM}`,
    args: (prompt) => ['--provider', PROVIDER, '-m', MODEL, '--json', prompt],
    env: () => ({ CLINE_NO_AUTO_UPDATE: '1', DO_NOT_TRACK: '1' }),
    prepare({ user, model }) {
      const settings = { provider: PROVIDER, apiKey: 'none', model: MODEL, baseUrl: `${model}/v1` };
      const updatedAt = '2026-01-01T00:00:00.000Z';
      const providers = { [PROVIDER]: { settings, updatedAt, tokenSource: 'manual' } };
      const file = join(user, '.cline', 'data', 'settings', 'providers.json');
      write(file, JSON.stringify({ version: 1, lastUsedProvider: PROVIDER, modes: {}, providers }));
      write(
        join(dirname(file), 'global-settings.json'),
        JSON.stringify({ telemetryOptOut: true, autoUpdateEnabled: false }),
      );
    },
  },
  continue: {
    main: '@continuedev/cli',
    isScript: true,
    args: (prompt) => ['-p', prompt, '--auto'],
    env: () => ({ CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_METRICS_ENABLED: '0' }),
    prepare({ user, model }) {
      const config = `name: Mine # of the user
version: 0.0.1
schema: v1
models:
  - name: scripted
    provider: openai
    model: ${MODEL}
    apiKey: none
    apiBase: ${model}/v1
    roles: [chat]
    capabilities: [tool_use]
`;
      write(join(user, '.continue', 'config.yaml'), config);
    },
  },
};

/** The file that starts a program, in a folder into which its package was installed. */
export function mainFile({ main }: AssistantProgram, folder: string): string {
  const modules = join(folder, 'node_modules');
  if (main.split('/').length > (main.startsWith('@') ? 2 : 1)) return join(modules, main);
  const about = createRequire(import.meta.url)(join(modules, main, 'package.json'));
  const bin = typeof about.bin === 'string' ? about.bin : Object.values<string>(about.bin)[0];
  return join(modules, main, bin ?? '');
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

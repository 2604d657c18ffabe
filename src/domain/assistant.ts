/** The programs that Switchboard can be connected to, by their command line names. */
export const ASSISTANTS = [
  'claude-code',
  'claude-desktop',
  'codex',
  'cursor',
  'vscode',
  'gemini',
  'copilot',
  'opencode',
  'qwen',
  'cline',
  'continue',
  'droid',
  'zed',
  'windsurf',
] as const;

export type Assistant = (typeof ASSISTANTS)[number];

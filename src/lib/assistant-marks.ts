/** Variables that assistants set for the programs they start, with the name of the assistant. */
const MARKS: Readonly<Record<string, string>> = {
  CLAUDECODE: 'claude',
  CLAUDE_CODE_SESSION_ID: 'claude',
  CODEX_THREAD_ID: 'codex',
  CODEX_SESSION_ID: 'codex',
  CODEX_SANDBOX: 'codex',
  CODEX_SANDBOX_NETWORK_DISABLED: 'codex',
  GEMINI_CLI: 'gemini',
  QWEN_CODE_SESSION_ID: 'qwen',
  COPILOT_AGENT_SESSION_ID: 'copilot',
  OPENCODE: 'opencode',
  OPENCODE_PID: 'opencode',
  CLINE_CONNECTOR_CLI_LAUNCH: 'cline',
  CLINE_ACTIVE: 'cline',
  CURSOR_AGENT: 'cursor-agent',
  CRUSH: 'crush',
  GOOSE_TERMINAL: 'goose',
  AUGMENT_AGENT: 'auggie',
  AI_AGENT: 'an assistant',
};

/** The assistant that started a process, if its environment shows one. */
export function assistantMark(variable: (name: string) => string | undefined): string | undefined {
  for (const name in MARKS) if (variable(name)) return MARKS[name];
  return undefined;
}

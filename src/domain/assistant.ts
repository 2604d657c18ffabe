/** The programs that Switchboard can be connected to, as people type them. */
export const ASSISTANTS = ['claude-code', 'claude-desktop', 'codex', 'cursor', 'vscode', 'gemini'] as const;

export type Assistant = (typeof ASSISTANTS)[number];

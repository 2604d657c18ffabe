import { defineCapability } from '../capability.ts';
import type { AgentTools } from '../domain/agent-tool.ts';
import { openClaude } from './open-claude.ts';
import type { ClaudeStores } from './ports.ts';
import type { ClaudeSettings } from './settings.ts';
import { claudeStore } from './store.ts';

/** Conversations with Claude, which may use the tools of the other capabilities. */
export function claude(options: { tools: AgentTools }) {
  return defineCapability<ClaudeStores, ClaudeSettings>({
    name: 'claude',
    invalidInput: 'VALIDATION_ERROR',
    config: () => import('./settings.ts'),
    probes: async () => [(await import('./probe.ts')).claudeProbe],
    store: claudeStore,
    open: (parts) => openClaude(options, parts),
  });
}

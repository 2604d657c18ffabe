import type { Probe } from '../capability.ts';
import { ok, warning } from '../domain/finding.ts';
import { processContext } from '../lib/daemon-hello.ts';
import { quotedName } from '../lib/shown-name.ts';

const CHECK = 'agent identity';

/** Whether the window in which doctor runs is certain: what it is told there holds for the agent in that window. */
export const identityProbe: Probe<object> = {
  check: CHECK,
  async examine() {
    const { tmuxLocationOf } = await import('./tmux/tmux-location.ts');
    const { tmux_pane: tmuxPane, ...context } = processContext(process.env);
    const where = await tmuxLocationOf({ ...context, ...(tmuxPane === undefined ? {} : { tmuxPane }) });
    switch (where.kind) {
      case 'inside':
        return [ok(CHECK, `this is the window of the agent ${quotedName(where.me.name)}`)];
      case 'uncertain':
        return [warning(CHECK, where.cause, where.hint)];
      case 'lost':
        return [warning(CHECK, `the tmux window cannot be found: ${where.cause}`, 'Run this in a window of tmux.')];
      case 'outside':
        return [];
    }
  },
};

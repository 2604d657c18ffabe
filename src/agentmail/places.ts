import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Places } from './agent.ts';

/** The mail of the repository that `folder` is in; none outside of one. */
export function placesFor(folder: string): Places | undefined {
  if (existsSync(join(folder, '.git'))) {
    const main = join(folder, '.agentmail');
    return { main, read: [main], forFolder: () => main };
  }
  const parent = dirname(folder);
  return parent === folder ? undefined : placesFor(parent);
}

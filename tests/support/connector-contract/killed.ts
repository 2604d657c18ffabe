import type { World } from '../connector-contract.ts';

export function killedBehaviours(start: () => Promise<World>): void {
  void start;
}

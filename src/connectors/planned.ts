import { z } from 'zod';

/**
 * Kinds of source that a configuration may have before their connectors exist. The settings of each move into the folder
 * of its connector, once there is one.
 */
export const PLANNED = [{ kind: 'beeper', settings: () => z.strictObject({}) }] as const;

import { z } from 'zod';

/** The store defines which names and groups are valid; these bounds only keep nonsense away from it. */
export const SecretName = z.string().min(1).max(128).describe('Name that the configuration refers to.');

export const SecretGroup = z
  .string()
  .min(1)
  .max(100)
  .describe('Group: shared, or one server, source or account, such as server/github.');

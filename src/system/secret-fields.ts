import { z } from 'zod';

/** The store says what a name or a group may look like; these bounds only keep nonsense away from it. */
export const SecretName = z.string().min(1).max(128).describe('The name that the configuration refers to.');

export const SecretGroup = z
  .string()
  .min(1)
  .max(100)
  .describe('Whose secret it is: shared, or that of one server, source or account, as in server/github.');

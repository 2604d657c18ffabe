import { defineCapability } from '../capability.ts';
import { type EmailOptions, openEmail } from './open-email.ts';
import type { EmailStores } from './ports.ts';
import type { EmailSettings } from './settings.ts';
import { emailStore } from './store.ts';

/** Mail of the user's accounts. */
export function email(options: EmailOptions) {
  return defineCapability<EmailStores, EmailSettings>({
    name: 'email',
    invalidInput: 'VALIDATION_ERROR',
    config: () => import('./settings.ts'),
    probes: async () => [(await import('./probe.ts')).accountsProbe],
    store: emailStore,
    open: (parts) => openEmail(options, parts),
  });
}

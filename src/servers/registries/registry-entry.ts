import { AppError } from '../../domain/errors.ts';
import type { PackageType } from '../../domain/server-config.ts';
import { quotedName } from '../../lib/shown-name.ts';
import type { ServerDraft } from '../draft/draft.ts';

export const REGISTRIES = ['official', 'smithery'] as const;
export type RegistryName = (typeof REGISTRIES)[number];

export const REGISTRY_TITLES: Record<RegistryName, string> = {
  official: 'the official MCP registry',
  smithery: 'Smithery',
};

/** A server as a registry lists it. All texts are the publisher's: data, shortened, not checked. */
export interface RegistryEntry {
  registry: RegistryName;
  /** What it is installed by. */
  id: string;
  title: string;
  description: string;
  version?: string;
  deprecated?: boolean;
  /** Why it is deprecated, or what to use instead. */
  status_message?: string;
  verified?: boolean;
  use_count?: number;
  website?: string;
}

export interface RegistryDetails extends RegistryEntry {
  /** Best first. */
  options: readonly InstallOption[];
}

/** A way to run the server; or why it cannot be run in that way. */
export type InstallOption = { package: PackageType; draft: ServerDraft } | { package: string; reason: string };

/** What can be installed from a registry, most preferred first. */
const PREFERENCE: readonly string[] = ['npm', 'pypi', 'docker', 'http'];

export function byPreference(options: readonly InstallOption[]): readonly InstallOption[] {
  const rank = (option: InstallOption) => ('draft' in option ? PREFERENCE.indexOf(option.package) : PREFERENCE.length);
  return options.toSorted((a, b) => rank(a) - rank(b));
}

/** The draft of the best way to run a server, or of the one that the caller chose. */
export function chooseOption(details: RegistryDetails, choice?: string): ServerDraft {
  const wanted = details.options.filter((option) => choice === undefined || option.package === choice);
  const found = wanted.find((option) => 'draft' in option);
  if (found) return found.draft;
  const id = quotedName(details.id);
  const [refused] = wanted;
  const others = [...new Set(details.options.flatMap((option) => ('draft' in option ? [option.package] : [])))];
  const message =
    refused && 'reason' in refused
      ? `${id} cannot be installed: ${refused.reason}.`
      : `${id} is not offered ${choice === undefined ? 'as a package or at an address' : `as ${quotedName(choice)}`}.`;
  throw new AppError('VALIDATION_ERROR', message, {
    field: 'package',
    hint: others.length > 0 ? `It is offered as ${others.join(', ')}.` : undefined,
  });
}

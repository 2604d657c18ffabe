import type { CapabilityDefinition, CapabilityParts, OpenCapability, Services } from '../../src/capability.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from './operation-context.ts';

type Given<Stored extends object, Settings extends object> = Partial<
  Omit<CapabilityParts<Stored, Settings>, 'service'>
> & { services?: Partial<Services> };

/** A capability without the rest of the program; dependencies that are not given must not be used. */
export function openCapability<Stored extends object, Settings extends object>(
  definition: CapabilityDefinition<Stored, Settings>,
  { services = {}, ...given }: Given<Stored, Settings> = {},
): OpenCapability {
  const missing = (what: string) => () => Promise.reject(new Error(`The test gives no ${what}.`));
  return definition.open({
    home: '',
    clock: systemClock,
    log: silentLog,
    mask: (text) => text,
    store: missing('store'),
    events: missing('events'),
    settings: missing('settings'),
    secrets: missing('secrets'),
    storeAddress: missing('address of a store'),
    ...given,
    service(name) {
      const service = services[name];
      if (!service) throw new Error(`The test gives no service of ${name}.`);
      return service;
    },
  });
}

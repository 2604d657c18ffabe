import type { MailDiscovery } from '../../mail-connector.ts';

const discovery = async () => (await import('./discovery.ts')).createMailDiscovery();

/** Finds the servers of a domain on the internet. */
export const mailDiscovery: MailDiscovery = {
  published: async (...given) => (await discovery()).published(...given),
  records: async (...given) => (await discovery()).records(...given),
  exchangers: async (...given) => (await discovery()).exchangers(...given),
  answers: async (...given) => (await discovery()).answers(...given),
};

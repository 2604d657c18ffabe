import type { Contender, Door } from './contender.ts';
import type { OurHomes } from './our-homes.ts';

const ERAS = [
  { door: 'session', title: 'session' },
  { door: 'stateless', title: 'stateless' },
] as const;

/** All but the gateways of others. `file` names what was built. */
export function ownContenders(file: (name: string) => string, homes: OurHomes): Contender[] {
  const echo = file('echo-stdio.mjs');
  return [
    {
      ...{ id: 'direct-stdio', title: 'direct, stdio', kind: 'direct', door: 'stdio', isForMany: false },
      launch: () => ({ args: [echo, 's0'] }),
    },
    ...relays('stdio', 'stdio'),
    {
      ...{ id: 'ours-stdio', title: 'Switchboard, shim', kind: 'ours', door: 'stdio', isForMany: true },
      launch: (setting) => homes.shim(setting),
    },
    {
      ...{ id: 'direct-sessions', title: 'direct, HTTP, sessions', kind: 'direct', door: 'session', isForMany: false },
      path: '/sessions',
      launch: ({ port }) => ({ args: [file('direct-http.mjs'), String(port)] }),
    },
    ...ERAS.flatMap(({ door, title }): Contender[] => [
      {
        ...{ id: `direct-${door}`, title: `direct, HTTP, ${title}`, kind: 'direct', door, isForMany: false },
        launch: ({ port }) => ({ args: [file('direct-http.mjs'), String(port)] }),
      },
      ...relays(door, `HTTP, ${title}`),
      {
        ...{ id: `ours-${door}`, title: `Switchboard, HTTP, ${title}`, kind: 'ours', door, isForMany: true },
        launch: (setting) => homes.daemon(setting),
      },
    ]),
  ];

  function relays(door: Door, title: string): Contender[] {
    return (['sdk', 'raw'] as const).map((kind) => ({
      id: `${kind}-${door}`,
      title: `${kind === 'sdk' ? 'SDK' : 'raw'} relay, ${title}`,
      kind: 'relay',
      door,
      isForMany: true,
      launch: ({ upstreams, port }) => ({
        args: [
          file(`${kind}-relay-${door === 'stdio' ? 'stdio' : 'http'}.mjs`),
          echo,
          String(upstreams),
          ...(door === 'stdio' ? [] : [String(port)]),
        ],
      }),
    }));
  }
}

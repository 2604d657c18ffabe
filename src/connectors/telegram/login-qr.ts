import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { tl } from '@mtcute/core';
import type { LoginStep } from '../connector.ts';
import type { TelegramClient } from './client.ts';
import type { TelegramSettings } from './settings.ts';

type Steps = AsyncGenerator<LoginStep, tl.auth.TypeAuthorization, string>;

/** Shows codes until one is scanned with an app that is signed in. */
export async function* scanned(client: TelegramClient, settings: TelegramSettings, signal: AbortSignal): Steps {
  const { api, call } = client;
  const accepted = new AbortController();
  const onUpdate = (updates: tl.TypeUpdates) => {
    if (updates._ === 'updateShort' && updates.update._ === 'updateLoginToken') accepted.abort();
  };
  api.onServerUpdate.add(onUpdate);
  try {
    for (;;) {
      const { api_id: apiId, api_hash: apiHash } = settings;
      let token: tl.auth.TypeLoginToken = await call({ _: 'auth.exportLoginToken', apiId, apiHash, exceptIds: [] });
      if (token._ === 'auth.loginTokenMigrateTo') {
        await api.changePrimaryDc(token.dcId);
        token = await call({ _: 'auth.importLoginToken', token: token.token });
      }
      if (token._ === 'auth.loginTokenSuccess') return token.authorization;
      if (token._ !== 'auth.loginToken') throw new Error('Telegram did not answer with a code');
      const expiresAt = token.expires * 1_000;
      yield {
        kind: 'show-qr',
        data: `tg://login?token=${Buffer.from(token.token).toString('base64url')}`,
        expiresAt,
      };
      await untilScanned(accepted.signal, expiresAt - Date.now(), signal, client.lost);
    }
  } finally {
    api.onServerUpdate.remove(onUpdate);
  }
}

async function untilScanned(accepted: AbortSignal, ms: number, signal: AbortSignal, lost: Promise<never>) {
  if (accepted.aborted) return;
  const done = new AbortController();
  try {
    await Promise.race([
      once(accepted, 'abort', { signal: done.signal }),
      sleep(Math.max(0, ms), undefined, { signal: AbortSignal.any([signal, done.signal]) }),
      lost,
    ]);
  } finally {
    done.abort();
  }
}

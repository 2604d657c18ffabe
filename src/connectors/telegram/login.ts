import { MemoryStorage, type tl } from '@mtcute/core';
import { connectionFailureIn, NO_SETTINGS } from '../connection-failure.ts';
import type { Login, LoginEnd, LoginHost, LoginStep } from '../connector.ts';
import { OutcomeError } from '../outcome-error.ts';
import { connect, createClient, type TelegramClient } from './client.ts';
import { codeOf, signInFailure } from './failures.ts';
import { scanned } from './login-qr.ts';
import { forgetPending, type PendingCode, pendingCode, rememberPending } from './pending-code.ts';
import { forgetSession, storedSession, storeSession, useSession } from './session.ts';
import type { TelegramSettings } from './settings.ts';

/** How often a wrong code or password may be repeated; Telegram itself allows few attempts. */
const ATTEMPTS = 3;
const PHONE: LoginStep = {
  kind: 'ask',
  field: 'phone',
  label: 'Phone number with country code, or empty to scan a QR code with the Telegram app',
  secret: false,
};

type Steps<Result> = AsyncGenerator<LoginStep, Result, string>;

/** Signs in by phone number, code and password, or by a QR code; the session is stored as a secret. */
export async function* login(settings: TelegramSettings, host: LoginHost): Login {
  if (settings.session !== undefined) return { kind: 'done' };
  let client: TelegramClient | undefined;
  try {
    client = await createClient({ settings, storage: new MemoryStorage(), log: host.log, signal: host.signal });
    const session = await storedSession(settings, host);
    if (session) await useSession(client, session);
    await connect(client);
    if (session?.self && (await isValid(client))) return { kind: 'done' };
    const authorization = yield* authorized(client, settings, host);
    await client.api.notifyLoggedIn(authorization);
    await storeSession(client, host);
    await forgetPending(host);
    return { kind: 'done' };
  } catch (cause) {
    // Whoever cancels may continue with the code that was sent.
    if (!host.signal.aborted) await Promise.all([forgetSession(host), forgetPending(host)]);
    return failed(cause);
  } finally {
    await client?.close();
  }
}

function failed(cause: unknown): LoginEnd {
  if (cause instanceof OutcomeError) return { kind: 'failed', reason: cause.outcome.reason, cause };
  const failure = signInFailure(cause);
  if (failure) return failure;
  const reason = connectionFailureIn(cause, NO_SETTINGS)?.reason;
  return { kind: 'failed', reason: reason ?? 'Telegram cannot be reached.', cause };
}

async function isValid({ call }: TelegramClient): Promise<boolean> {
  try {
    await call({ _: 'users.getUsers', id: [{ _: 'inputUserSelf' }] });
    return true;
  } catch (error) {
    if (codeOf(error) === '') throw error;
    return false;
  }
}

type Authorized = tl.auth.TypeAuthorization | tl.RawUser;

async function* authorized(client: TelegramClient, settings: TelegramSettings, host: LoginHost): Steps<Authorized> {
  const pending = await pendingCode(host);
  if (pending) return yield* byCode(client, pending, 'Telegram has already sent a code. ');
  const phone = (yield PHONE).trim();
  if (phone === '') return yield* withPassword(client, scanned(client, settings, host.signal));
  const { api_id: apiId, api_hash: apiHash } = settings;
  const sent = await client.call({
    _: 'auth.sendCode',
    phoneNumber: phone,
    apiId,
    apiHash,
    settings: { _: 'codeSettings' },
  });
  if (sent._ === 'auth.sentCodeSuccess') return sent.authorization;
  const code = { phone, hash: sent.phoneCodeHash, where: whereOf(sent) };
  // The code is for this session, so that both are needed to continue after an interruption.
  await storeSession(client, host);
  await rememberPending(host, code);
  return yield* byCode(client, code, '');
}

function whereOf(sent: tl.auth.TypeSentCode): string {
  const type = 'type' in sent ? sent.type._ : '';
  if (type === 'auth.sentCodeTypeApp') return 'in the Telegram app';
  return type === 'auth.sentCodeTypeSms' ? 'by SMS' : 'to you';
}

async function* byCode(client: TelegramClient, { phone, hash, where }: PendingCode, before: string): Steps<Authorized> {
  let hint = before;
  for (let attempt = 1; ; attempt++) {
    const label = `${hint}Code that Telegram has sent ${where}`;
    const phoneCode = (yield { kind: 'ask', field: 'code', label, secret: false }).replace(/\D/g, '');
    const signIn = client.call({ _: 'auth.signIn', phoneNumber: phone, phoneCodeHash: hash, phoneCode });
    try {
      return yield* withPassword(client, onlyResult(signIn));
    } catch (error) {
      if (!/^PHONE_CODE_(?:INVALID|EMPTY)$/.test(codeOf(error)) || attempt === ATTEMPTS) throw error;
      hint = 'The code is wrong. ';
    }
  }
}

// biome-ignore lint/correctness/useYield: it has no steps of its own
async function* onlyResult<Result>(result: Promise<Result>): Steps<Result> {
  return await result;
}

/** Asks for the password of the account, if it has one. */
async function* withPassword(client: TelegramClient, steps: Steps<Authorized>): Steps<Authorized> {
  try {
    return yield* steps;
  } catch (error) {
    if (codeOf(error) !== 'SESSION_PASSWORD_NEEDED') throw error;
  }
  let hint = '';
  for (let attempt = 1; ; attempt++) {
    const label = `${hint}Password of the account (two-step verification)`;
    const password = yield { kind: 'ask', field: 'password', label, secret: true };
    try {
      const request = await client.call({ _: 'account.getPassword' });
      const proof = await client.api.computeSrpParams(request, password);
      return await client.call({ _: 'auth.checkPassword', password: proof });
    } catch (error) {
      if (codeOf(error) !== 'PASSWORD_HASH_INVALID' || attempt === ATTEMPTS) throw error;
      hint = 'The password is wrong. ';
    }
  }
}

import type { ConfiguredValue, ServerAuth } from '../../domain/server-config.ts';
import type { ServerDraft } from '../draft/draft.ts';
import { isHttpAddress } from '../draft/draft-url.ts';
import { isHeaderName } from '../draft/package-names.ts';
import { isSecretHeader } from '../draft/secret-names.ts';
import { withoutQuerySecrets } from '../draft/secret-query.ts';
import type { ConfigEntry } from './config-entry.ts';
import type { entryTexts } from './entry-texts.ts';
import { NotImportable, plainText } from './substitute.ts';

type Texts = ReturnType<typeof entryTexts>;
type RemoteFields = Pick<ServerDraft, 'package' | 'transport' | 'headers' | 'secrets'> & { auth?: ServerAuth };

/** The fields of a server at an address, and answers for secrets that were written in it. */
export function remoteFields(
  entry: ConfigEntry,
  type: 'http' | 'sse',
  texts: Texts,
): { fields: RemoteFields; answers: Record<string, string> } {
  if (entry.headersHelper !== undefined) {
    throw new NotImportable('its headers come from a script (headersHelper), which is never run');
  }
  const text = entry.url ?? entry.serverUrl ?? '';
  if (text === '') throw new NotImportable('it has neither a command nor a URL');
  if (/^(unix|pipe):/i.test(text)) throw new NotImportable('sockets and pipes are not supported');
  const { pieces, hasSecret } = texts.read(text, 'variable');
  const first = pieces.map((piece) => (typeof piece === 'string' ? piece : 'x')).join('');
  if (typeof pieces[0] === 'string' && !isHttpAddress(first)) {
    throw new NotImportable('its address is not HTTP, or contains a password');
  }
  const { pieces: hidden, inputs, answers } = withoutQuerySecrets(pieces);
  if (hasSecret && inputs.length === 0 && plainText(hidden) !== undefined) {
    throw new NotImportable('its address contains a secret that cannot be stored apart from it');
  }
  for (const input of inputs) texts.add(input, 'variable', true);
  texts.places.push({ in: 'url', text: hidden });
  const auth = authOf(entry, texts);
  const secret = entry.auth?.CLIENT_SECRET;
  return {
    fields: {
      package: { type: 'http', identifier: text },
      transport: { type, url: text },
      headers: headersOf(entry, texts),
      ...(auth === undefined ? {} : { auth }),
      ...(secret === undefined ? {} : { secrets: { oauth_client_secret: knownText(secret, texts) } }),
    },
    answers,
  };
}

function headersOf(entry: ConfigEntry, texts: Texts): Record<string, ConfiguredValue> {
  const entries = Object.entries(entry.headers).flatMap(([name, text]): [string, ConfiguredValue][] => {
    if (!isHeaderName(name) || /[\r\n]/.test(text)) throw new NotImportable('one of its headers is malformed');
    const value = texts.value('header', name, text, isSecretHeader(name));
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

function authOf({ oauth, auth }: ConfigEntry, texts: Texts): ServerAuth | undefined {
  const clientId = oauth?.clientId ?? auth?.CLIENT_ID;
  const scopes = oauth?.scopes ?? auth?.scopes;
  if (clientId === undefined && scopes === undefined) return undefined;
  return {
    type: 'oauth',
    ...(clientId === undefined ? {} : { client_id: knownText(clientId, texts) }),
    ...(scopes === undefined ? {} : { scopes }),
  };
}

function knownText(text: string, texts: Texts): string {
  const known = plainText(texts.read(text, 'variable').pieces);
  if (known === undefined) throw new NotImportable('its sign-in uses a variable that is not set');
  return known;
}

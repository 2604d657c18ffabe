import { userInfo } from 'node:os';
import { MAIL_DOMAIN, type MailServerPlan } from './mail-server-options.ts';

/** What Dovecot 2.3 offers after sign-in. */
const CAPABILITIES = `IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS
THREAD=ORDEREDSUBJECT MULTIAPPEND URL-PARTIAL CATENATE UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED I18NLEVEL=1 CONDSTORE
QRESYNC ESEARCH ESORT SEARCHRES WITHIN CONTEXT=SEARCH LIST-STATUS BINARY MOVE SNIPPET=FUZZY PREVIEW=FUZZY PREVIEW STATUS=SIZE
SAVEDATE LITERAL+ NOTIFY SPECIAL-USE`.split(/\s+/);

const FOLDERS = ['Drafts', 'Sent', 'Trash', 'Junk', 'Archive'].map((name) => ({ name, specialUse: `\\${name}` }));

/** In the language of Dovecot 2.3; 2.4 has another. */
export function dovecotConfiguration(plan: MailServerPlan): string {
  const { folder, host, uid, gid, options } = plan;
  const { tls = 'both', without = [], oauth, maxSessions = 200 } = options;
  const offered = CAPABILITIES.filter((name) => !(without as readonly string[]).includes(name));
  return `
base_dir = ${folder}/run/dovecot
state_dir = ${folder}/run/dovecot-state
instance_name = mail-${plan.ports.imap}
log_path = ${folder}/log/dovecot.log
${internalUsers()}
protocols = imap lmtp
listen = ${host}
ssl = ${{ both: 'yes', starttls: 'required', none: 'no' }[tls]}
${tls === 'none' ? '' : `ssl_cert = <${folder}/etc/cert.pem\nssl_key = <${folder}/etc/key.pem`}
disable_plaintext_auth = ${tls === 'starttls' ? 'yes' : 'no'}
auth_mechanisms = plain login ${oauth ? (oauth.mechanisms ?? ['xoauth2', 'oauthbearer']).join(' ') : ''}
auth_username_format = %Lu
auth_default_realm = ${MAIL_DOMAIN}
auth_failure_delay = 0
mail_location = maildir:~/Maildir:LAYOUT=fs:UTF-8
first_valid_uid = 1
mail_max_userip_connections = ${maxSessions}
mail_fsync = never
mail_save_crlf = yes
${without.length === 0 ? '' : `imap_capability = ${offered.join(' ')}`}
${oauth ? oauthDatabase(folder) : ''}
passdb {
  driver = passwd-file
  mechanisms = plain login
  args = scheme=PLAIN username_format=%u ${folder}/etc/users
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%n allow_all_users=yes
}
namespace inbox {
  inbox = yes
  separator = ${options.separator ?? '/'}
  prefix = ${options.prefix ?? ''}
  ${(options.folders ?? FOLDERS).map(mailbox).join('\n')}
}
service anvil {
  chroot =
  # No waiting after failed sign-ins.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service imap-login {
  chroot =
  process_min_avail = 1
  inet_listener imap {
    port = ${plan.ports.imap}
  }
  inet_listener imaps {
    port = ${tls === 'both' ? plan.ports.imaps : 0}
    ssl = yes
  }
}
service imap {
  process_limit = 256
}
service lmtp {
  process_min_avail = 1
  unix_listener lmtp {
    mode = 0666
  }
}
service stats {
  chroot =
  unix_listener stats-writer {
    mode = 0666
  }
}
`;
}

/** Of the passdb for OAuth. */
export function oauthConfiguration(introspectionUrl: string): string {
  return `
introspection_url = ${introspectionUrl}
introspection_mode = post
force_introspection = yes
username_attribute = username
active_attribute = active
active_value = true
timeout_msecs = 10000
`;
}

function oauthDatabase(folder: string): string {
  return `passdb {
  driver = oauth2
  mechanisms = xoauth2 oauthbearer
  args = ${folder}/etc/oauth.conf
}`;
}

function mailbox({ name, specialUse }: { name: string; specialUse?: string }): string {
  return `mailbox "${name}" {
    auto = subscribe
    ${specialUse === undefined ? '' : `special_use = ${specialUse}`}
  }`;
}

/** Dovecot started by another user than root cannot become its own users. */
function internalUsers(): string {
  if (process.getuid?.() === 0) return '';
  const { username } = userInfo();
  return `default_internal_user = ${username}\ndefault_internal_group = ${username}\ndefault_login_user = ${username}`;
}

import { MAIL_DOMAIN, type MailServerOptions, type MailServerPlan } from './mail-server-options.ts';

/**
 * Submission only: TLS and sign-in are required, mail for other domains is refused, so that nothing leaves the machine. Local mail
 * is handed to Dovecot by LMTP.
 */
export function eximConfiguration(plan: MailServerPlan): string {
  const { folder, host, uid, gid, ports, options } = plan;
  const { tls = 'both' } = options;
  const passwords = `${folder}/etc/exim-passwords`;
  const advertise = tls === 'none' ? 'true' : `\${if def:tls_in_cipher}`;
  return `
exim_path = ${folder}/bin/exim
exim_user = ${uid}
exim_group = ${gid}
unknown_login = exim
unknown_username = exim
never_users =
deliver_drop_privilege = true
primary_hostname = localhost
qualify_domain = ${MAIL_DOMAIN}
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/exim-%s.log
pid_file_path = ${folder}/run/exim.pid
local_interfaces = ${host}
daemon_smtp_ports = ${tls === 'both' ? `${ports.smtp} : ${ports.smtps}` : ports.smtp}
${tls === 'both' ? `tls_on_connect_ports = ${ports.smtps}` : ''}
tls_advertise_hosts = ${tls === 'none' ? '' : '*'}
${tls === 'none' ? '' : `tls_certificate = ${folder}/etc/cert.pem\ntls_privatekey = ${folder}/etc/key.pem`}
domainlist local_domains = ${MAIL_DOMAIN}
acl_smtp_mail = acl_mail
acl_smtp_rcpt = acl_rcpt
acl_smtp_data = accept
message_size_limit = 30M
host_lookup =
rfc1413_query_timeout = 0s
smtp_accept_max = 200
smtp_accept_queue_per_connection = 0
ignore_bounce_errors_after = 0s
keep_environment =
disable_ipv6 = true
begin acl
acl_mail:
  deny    message = 530 5.7.0 Must issue STARTTLS and AUTH first
         !authenticated = *
  accept
acl_rcpt:
  deny    local_parts = lsearch;${folder}/etc/rejected
          message = 550 5.1.1 rejected by test list
  defer   local_parts = lsearch;${folder}/etc/deferred
          message = 451 4.3.0 deferred by test list
  deny   !domains = +local_domains
          message = 550 5.7.1 relay not permitted
  deny    condition = \${lookup{$local_part@$domain}lsearch{${passwords}}{no}{yes}}
          message = 550 5.1.1 no such user
  accept
begin routers
local:
  driver = accept
  domains = +local_domains
  transport = lmtp
begin transports
lmtp:
  driver = lmtp
  socket = ${folder}/run/dovecot/lmtp
  batch_max = 50
  user = ${uid}
  group = ${gid}
begin retry
* * F,1m,5s
begin rewrite
begin authenticators
${options.oauth ? tokenAuthenticators(options.oauth, advertise) : ''}
PLAIN:
  driver = plaintext
  public_name = PLAIN
  server_advertise_condition = ${advertise}
  server_prompts = :
  server_set_id = $auth2
  server_condition = \${if eq{\${lookup{$auth2}lsearch{${passwords}}{$value}fail}}{$auth3}}
LOGIN:
  driver = plaintext
  public_name = LOGIN
  server_advertise_condition = ${advertise}
  server_prompts = Username:: : Password::
  server_set_id = $auth1
  server_condition = \${if eq{\${lookup{$auth1}lsearch{${passwords}}{$value}fail}}{$auth2}}
`;
}

/** Where the user name and the token are in what the client sends. */
const TOKEN_MESSAGES = {
  xoauth2: String.raw`^user=([^\x01]+)\x01auth=Bearer ([\w.~-]+)\x01\x01$`,
  oauthbearer: String.raw`^n,a=([^\x01]+),\x01.*auth=Bearer ([\w.~-]+)\x01\x01$`,
};

function tokenAuthenticators(oauth: NonNullable<MailServerOptions['oauth']>, advertise: string): string {
  const { mechanisms = ['xoauth2', 'oauthbearer'] } = oauth;
  return mechanisms
    .map((name) => {
      const part = (number: number) => `\${if match{$auth1}{\\N${TOKEN_MESSAGES[name]}\\N}{$${number}}}`;
      const answer = introspection(oauth.introspectionUrl, part(2));
      return `${name.toUpperCase()}:
  driver = plaintext
  public_name = ${name.toUpperCase()}
  server_advertise_condition = ${advertise}
  server_prompts = :
  server_set_id = ${part(1)}
  server_condition = \${if and{{match{${answer}}{\\N"active": *true\\N}}{match{${answer}}{"username": *"${part(1)}"}}}}
`;
    })
    .join('');
}

/** The answer to a request for introspection (RFC 7662), headers included. */
function introspection(url: string, token: string): string {
  const { hostname, port, pathname, host } = new URL(url);
  const request = [
    `POST ${pathname} HTTP/1.0`,
    `Host: ${host}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: \${eval:6+\${strlen:${token}}}`,
    '',
    `token=${token}`,
  ];
  return `\${readsocket{inet:${hostname}:${port}}{${request.join(String.raw`\r\n`)}}{10s}}`;
}

const EMAIL = ['tests/integration/email', 'tests/e2e/email'];

/**
 * What the tests need from the machine besides Node: the only list. `command` shows that a package is installed, by whatever
 * means; `suites` are prefixes of the paths of the test files that cannot run without it. A package that only a newer `release`
 * has is unpacked below `.cache`.
 */
export const debianPackages = [
  { name: 'tmux', command: 'tmux', suites: ['tests/integration/agentmail', 'tests/e2e/agentmail'] },
  {
    name: 'openssl',
    command: 'openssl',
    suites: [
      'tests/integration/tls',
      'tests/integration/connection-reasons',
      'tests/integration/irc',
      'tests/integration/xmpp',
      'tests/e2e/tls',
      ...EMAIL,
    ],
  },
  { name: 'zsh', command: 'zsh', suites: ['tests/e2e/completion-shells'] },
  { name: 'fish', command: 'fish', suites: ['tests/e2e/completion-shells'] },
  { name: 'procps', command: 'ps', suites: ['tests/integration/process', 'tests/e2e/process'] },
  { name: 'dbus-daemon', command: 'dbus-run-session', suites: ['tests/integration/keychain'] },
  { name: 'gnome-keyring', command: 'gnome-keyring-daemon', suites: ['tests/integration/keychain'] },
  { name: 'prosody', command: 'prosody', suites: ['tests/integration/xmpp', 'tests/e2e/chat-xmpp'] },
  // Dovecot 2.3: the configuration of 2.4, in Debian 13, differs.
  { name: 'dovecot-imapd', command: '/usr/lib/dovecot/imap', suites: EMAIL },
  { name: 'dovecot-lmtpd', command: '/usr/lib/dovecot/lmtp', suites: EMAIL },
  { name: 'exim4-daemon-light', command: '/usr/sbin/exim4', suites: EMAIL },
  { name: 'ergochat', release: 'trixie', command: 'ergochat', suites: ['tests/integration/irc', 'tests/e2e/chat-irc'] },
];

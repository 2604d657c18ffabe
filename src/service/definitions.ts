/** The program that the operating system runs. */
export interface ServiceProgram {
  node: string;
  program: string;
  port: number;
  /** The home, where it is not the usual one. */
  home?: string;
}

/** Marks files of ours: other definitions are neither replaced nor removed. */
export const MARK = 'Written by `switchboard service install`';

export const UNIT = 'switchboard.service';
export const LABEL = 'agent-switchboard';

export function systemdUnit({ node, program, port, home }: ServiceProgram): string {
  const command = [node, program, 'serve', '--port', String(port)].map(execQuoted).join(' ');
  return `# ${MARK}
[Unit]
Description=Switchboard
After=network-online.target

[Service]
ExecStart=${command}
${home === undefined ? '' : `Environment=${quoted(`SWITCHBOARD_HOME=${home}`)}\n`}Restart=on-failure
RestartSec=5
LimitCORE=0

[Install]
WantedBy=default.target
`;
}

export function launchdPlist({ node, program, port, home }: ServiceProgram): string {
  const command = [node, program, 'serve', '--port', String(port)];
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${escaped(word)}</string>`).join('\n')}
  </array>
${home === undefined ? '' : environment(home)}  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
`;
}

function environment(home: string): string {
  return `  <key>EnvironmentVariables</key>
  <dict>
    <key>SWITCHBOARD_HOME</key>
    <string>${escaped(home)}</string>
  </dict>
`;
}

/** As systemd parses words: quotes and backslashes as in C, and specifiers begin with a percent sign. */
function quoted(text: string): string {
  const inside = text.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('%', '%%');
  return `"${inside}"`;
}

/** In a command line variables are replaced too. */
function execQuoted(word: string): string {
  return quoted(word).replaceAll('$', '$$$$');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

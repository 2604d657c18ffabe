import { dirname, join } from 'node:path';
import type { Probe } from '../capability.ts';
import { type Finding, ok, warning } from '../domain/finding.ts';
import { workingDirectory } from '../lib/working-directory.ts';
import type { MailFolders } from './agent.ts';
import { ignoredNames } from './mailbox/ignored-names.ts';
import { mailFoldersFor } from './mailbox/mail-folders.ts';
import { UNTRACK } from './mailbox/tracked-mailbox.ts';
import { withoutIgnore } from './repository/gitignore.ts';
import { listFolder, statOf } from './repository/repository-file.ts';
import { trackedMail } from './repository/tracked-mail.ts';

const CHECK = 'agent mail';
const MAX_FILES = 1_000;

/** The repository in which doctor is called: whether git keeps its hands off the mail, and what was not used. */
export const repositoryProbe: Probe<object> = {
  check: CHECK,
  async examine() {
    const folder = workingDirectory();
    const findings: string[] = [];
    const report = (finding: string) => void findings.push(finding);
    const mailFolders = mailFoldersFor(folder, report);
    if (!mailFolders?.read.some((each) => statOf(each))) return [];
    ignoredNames(folder, mailFolders, report);
    const results = [
      ...tracked(mailFolders, report),
      ...notIgnored(mailFolders),
      ...renamedDatabases(mailFolders, report),
    ];
    const refused = findings.map((finding) => warning(CHECK, `${finding}.`, 'Remove or replace that file.'));
    const all = [...results, ...refused];
    return all.length > 0 ? all : [ok(CHECK, `Git ignores the mail in ${dirname(mailFolders.main)}.`)];
  },
};

function tracked({ read }: MailFolders, report: (finding: string) => void): Finding[] {
  return read
    .filter((folder) => !trackedMail(folder, report).isEmpty)
    .map((folder) =>
      warning(
        CHECK,
        `Git tracks files in ${folder}: the letters in them are not delivered.`,
        `In ${dirname(folder)}: ${UNTRACK} Then run \`agentmail onboard --gitignore\`.`,
      ),
    );
}

function notIgnored(mailFolders: MailFolders): Finding[] {
  return withoutIgnore(mailFolders).map((root) =>
    warning(CHECK, `${root} does not ignore its mail.`, `Run \`agentmail onboard --gitignore\` in ${root}.`),
  );
}

function renamedDatabases({ main }: MailFolders, report: (finding: string) => void): Finding[] {
  try {
    const folder = join(main, 'switchboard');
    const names = listFolder(folder, { within: dirname(main), max: MAX_FILES });
    const renamed = names.filter((name) => /\.untrusted-\w+-\d+$/.test(name));
    return renamed.map((name) =>
      warning(CHECK, `${join(folder, name)} was not made here, and is not used.`, 'Delete it.'),
    );
  } catch (error) {
    report((error as Error).message);
    return [];
  }
}

import type { Option, Place } from './places.ts';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** A script for a shell that completes the commands of this version. */
export const SCRIPTS: Readonly<Record<Shell, (places: readonly Place[]) => string>> = { bash, zsh, fish };

function bash(places: readonly Place[]): string {
  return `# Completion of switchboard for bash: source it, or put it into /etc/bash_completion.d.
_switchboard() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      ${known(places)}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at $prev" in
${cases(optionsWithValues(places), ([place, { text, takes }]) => [
  `'${place} ${text}'`,
  takes === 'files'
    ? 'COMPREPLY=($(compgen -f -- "$cur")); return'
    : `COMPREPLY=($(compgen -W '${list(takes)}' -- "$cur")); return`,
])}
  esac
  case "$at" in
${cases(places, (place) => [`'${place.path}'`, `words='${everything(place)}'`])}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _switchboard switchboard
`;
}

function zsh(places: readonly Place[]): string {
  return `#compdef switchboard
# Completion of switchboard for zsh: source it, or put it as _switchboard into a folder of $fpath.
_switchboard() {
  local at='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      (${known(places)}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${cases(optionsWithValues(places), ([place, { text, takes }]) => [
  `('${place} ${text}'`,
  takes === 'files' ? '_files; return' : `compadd -- ${list(takes)}; return`,
])}
  esac
  case "$at" in
${cases(places, (place) => [`('${place.path}'`, `compadd -- ${everything(place)}${place.files ? '; _files' : ''}`])}
  esac
}
if [ "$funcstack[1]" = "_switchboard" ]; then
  _switchboard "$@"
else
  compdef _switchboard switchboard
fi
`;
}

function fish(places: readonly Place[]): string {
  const lines = places.flatMap((place) => {
    const here = `complete -c switchboard -n '__switchboard_at "${place.path}"'`;
    return [
      ...(place.files ? [] : [`${here} -f`]),
      ...place.words.map(({ text, meaning }) => `${here} -a '${text}'${described(meaning)}`),
      ...place.options.map(
        (option) => `${here} -l ${option.text.slice(2)}${fishValue(option)}${described(option.meaning)}`,
      ),
    ];
  });
  return `# Completion of switchboard for fish: source it, or put it into ~/.config/fish/completions/switchboard.fish.
function __switchboard_at
    set -l at
    for word in (commandline -opc)[2..-1]
        set -l next (string join ' ' -- $at $word)
        if contains -- "$next" ${known(places).replaceAll('|', ' ')}
            set at $next
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join('\n')}
`;
}

function fishValue({ takes }: Option): string {
  if (takes === 'nothing') return '';
  if (takes === 'something') return ' -x';
  return takes === 'files' ? ' -r -F' : ` -x -a '${list(takes)}'`;
}

function described(meaning: string): string {
  return meaning === '' ? '' : ` -d '${meaning.replaceAll(/[\\']/g, '\\$&')}'`;
}

/** The paths of all places but the program itself, as a pattern. */
function known(places: readonly Place[]): string {
  return places
    .filter(({ path }) => path !== '')
    .map(({ path }) => `'${path}'`)
    .join('|');
}

function optionsWithValues(places: readonly Place[]): [path: string, option: Option][] {
  return places.flatMap(({ path, options }) =>
    options.filter(({ takes }) => takes !== 'nothing').map((option): [string, Option] => [path, option]),
  );
}

function cases<T>(items: readonly T[], toCase: (item: T) => [pattern: string, command: string]): string {
  return items
    .map(toCase)
    .map(([pattern, command]) => `    ${pattern}) ${command} ;;`)
    .join('\n');
}

/** No completions are offered for arbitrary text. */
function list(values: Option['takes']): string {
  return typeof values === 'string' ? '' : values.join(' ');
}

function everything({ words, options }: Place): string {
  return [...words, ...options].map(({ text }) => text).join(' ');
}

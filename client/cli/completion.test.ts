import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from './commands.ts';
import { completionScript } from './completion.ts';

// Each installed shell runs its own completion script.

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'truefill-completion-'));
  writeFileSync(join(folder, 'answer.json'), '');
  for (const shell of ['bash', 'zsh', 'fish']) writeFileSync(join(folder, `.${shell}`), completionScript(shell));
});
afterAll(() => rmSync(folder, { recursive: true }));

const isInstalled = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

const inShell = (shell: string, args: string[]) =>
  execFileSync(shell, args, {
    encoding: 'utf8',
    cwd: folder,
    timeout: 20_000,
    env: { ...process.env, ZDOTDIR: folder },
  })
    .split('\n')
    .filter((line) => line !== '');

/** The words that bash would insert at the end of the line, with its default word breaks. */
const inBash = (line: string) => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: bash
  const program = 'source ./.bash; COMP_LINE=$1 COMP_POINT=${#1}; _truefill; printf "%s\\n" "${COMPREPLY[@]}"';
  return inShell('bash', ['--norc', '-c', program, 'bash', line]);
};

const inFish = (line: string) =>
  inShell('fish', ['--no-config', '-c', 'source ./.fish; complete -C $argv[1]', line]).map((found) => {
    const [word = ''] = found.split('\t');
    return word;
  });

/** Presses Tab in an interactive zsh. Returns the line, and each word of the list that zsh shows. */
const inZsh = (line: string) => {
  const program = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "source ./.zsh; PS1=; stty columns 160; bindkey -e; setopt no_beep"
zpty -w z "show() { print -r -- \\"<line>\\\${BUFFER}</line>\\" }; zle -N show; bindkey '^G' show; print REA''DY"
zpty -r -m z seen '*READY*'
zpty -w -n z "$1"$'\\t'
zpty -w -n z $'\\a'
zpty -r -m z seen '*</line>*'
print -r -- "$seen"`;
  const screen = inShell('zsh', ['-f', '-c', program, 'zsh', line]).join('\n');
  return {
    line: /<line>(.*)<\/line>/.exec(screen)?.[1],
    // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences of the terminal
    listed: screen.replaceAll(/\x1b\[[\d;?]*[a-zA-Z]/g, ' ').split(/\s+/),
  };
};

test('default: every script contains every command', () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    for (const name of Object.keys(commands)) expect(completionScript(shell)).toContain(name);
  expect(() => completionScript('cmd')).toThrow('bash, zsh or fish');
});

const lines: [line: string, words: string[]][] = [
  ['truefill q', ['quote']],
  ['truefill help he', ['health', 'help']],
  ['truefill quote W', ['WBTC', 'WETH', 'WPOL']],
  ['truefill quote WETH cb', ['cbBTC']],
  ['truefill quote --ch', ['--chain']],
  ['truefill quote --chain p', ['polygon']],
  ['truefill quote --size ', []],
  ['truefill --v', ['--version']],
  ['truefill completion f', ['fish']],
  ['truefill verify an', ['answer.json']],
  ['truefill receipt ', ['verify']],
  ['truefill receipt verify an', ['answer.json']],
  ['truefill receipt verify x --key an', ['answer.json']],
  ['truefill receipt verify --k', ['--key']],
];

describe.skipIf(!isInstalled('bash'))('bash', () => {
  test.each(lines)('default: completes "%s"', (line, words) => {
    expect(inBash(line).sort()).toEqual(words);
  });

  test('behavior: completes values with a colon or after "=", at which bash splits words', () => {
    expect(inBash('truefill quote --chain=p')).toEqual(['polygon']);
    expect(inBash('truefill check --pay-on eip155:4')).toEqual(['42161']);
    expect(inBash('truefill check --pay-on=eip155:4')).toEqual(['42161']);
  });
});

describe.skipIf(!isInstalled('fish'))('fish', () => {
  test.each(lines)('default: completes "%s"', (line, words) => {
    expect(inFish(line).sort()).toEqual(words);
  });

  test('behavior: completes values with a colon or after "="', () => {
    expect(inFish('truefill quote --chain=p')).toEqual(['--chain=polygon']);
    expect(inFish('truefill check --pay-on eip155:4')).toEqual(['eip155:42161']);
  });
});

describe.skipIf(!isInstalled('zsh'))('zsh', () => {
  test.each(lines.filter(([, words]) => words.length <= 1))('default: completes "%s"', (line, [word]) => {
    const completed = word === undefined ? line : `${line.slice(0, line.lastIndexOf(' ') + 1)}${word}`;
    // An option that takes a value may be followed by "=".
    expect(inZsh(line).line?.replace(/[= ]$/, '')).toBe(completed.replace(/[= ]$/, ''));
  });

  test('behavior: lists symbols, and commands with their descriptions', () => {
    expect(inZsh('truefill quote W').listed).toEqual(expect.arrayContaining(['WBTC', 'WETH', 'WPOL']));
    expect(inZsh('truefill ').listed).toEqual(expect.arrayContaining([...Object.keys(commands), 'stdio']));
  });

  test('behavior: completes values with a colon or after "="', () => {
    expect(inZsh('truefill quote --chain=p').line).toBe('truefill quote --chain=polygon ');
    expect(inZsh('truefill check --pay-on eip155:4').line).toBe('truefill check --pay-on eip155:42161 ');
  });
});

for (const shell of ['bash', 'zsh', 'fish'])
  if (!isInstalled(shell)) process.stderr.write(`\nNOT RUN: completion in ${shell}, which is not installed here.\n\n`);

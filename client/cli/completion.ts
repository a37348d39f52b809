import { bashScript } from './completion/bash.ts';
import { fishScript } from './completion/fish.ts';
import { zshScript } from './completion/zsh.ts';
import { UsageError } from './usageError.ts';

/**
 * The completion script of a shell, generated from the table of commands.
 * @throws {UsageError} the shell is not bash, zsh or fish
 */
export function completionScript(shell: string): string {
  switch (shell) {
    case 'bash':
      return bashScript();
    case 'zsh':
      return zshScript();
    case 'fish':
      return fishScript();
    default:
      throw new UsageError(`The shell must be bash, zsh or fish, got ${shell.slice(0, 20)}.`);
  }
}

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Folders that an ordinary user's PATH often lacks. */
const systemFolders = ['/usr/sbin', '/usr/local/sbin'];

/**
 * Finds a program that these tests do not install. If it is missing, prints how to install it, and the caller skips its
 * tests.
 * @param install the command that installs it, for example `apt-get install nginx`
 */
export function findProgram(name: string, install: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...systemFolders];
  const found = folders.map((folder) => join(folder, name)).find(isExecutable);
  if (!found) console.log(`Skipped the tests with ${name}, which is not installed. To run them: ${install}`);
  return found;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

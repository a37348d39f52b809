import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../findProgram.ts';

/** The release that the tests were written for. */
export const gethModule = 'github.com/ethereum/go-ethereum/cmd/geth@v1.17.10';

/** Where `prove:peers` keeps what it has built, outside the checkout. */
export const peersFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'truefill-peers');

/** The geth that was built there, or one of the PATH; undefined if there is none. */
export function gethProgram(): string | undefined {
  const built = join(peersFolder, 'bin', 'geth');
  return existsSync(built) ? built : findProgram('geth', 'npm run prove:peers');
}

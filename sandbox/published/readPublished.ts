import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

/** ABI and creation code of a contract, from a package of its publisher. */
export interface PublishedContract {
  abi: Abi;
  bytecode: Hex;
}

const require = createRequire(import.meta.url);
const cached = new Map<string, PublishedContract>();

/** Reads runtime code that a package contains only as a hex literal in a Solidity file. */
export function readHexLiteral(path: string): Hex {
  const [, hex] = /hex"([0-9a-f]+)"/.exec(readFileSync(require.resolve(path), 'utf8')) ?? [];
  if (!hex) throw new TypeError(`${path} has no hex literal.`);
  return `0x${hex}`;
}

interface ArtifactFile {
  abi?: Abi;
  bytecode?: string | { object: string };
}

/** Reads one artifact and caches it. Only the used artifacts are read, because the packages are large. */
export function readPublished(path: string): PublishedContract {
  const known = cached.get(path);
  if (known) return known;
  const file = JSON.parse(readFileSync(require.resolve(path), 'utf8')) as ArtifactFile;
  const code = typeof file.bytecode === 'string' ? file.bytecode : file.bytecode?.object;
  if (!file.abi || !code) throw new TypeError(`${path} is not a contract artifact: abi or bytecode is missing.`);
  const contract = { abi: file.abi, bytecode: (code.startsWith('0x') ? code : `0x${code}`) as Hex };
  cached.set(path, contract);
  return contract;
}

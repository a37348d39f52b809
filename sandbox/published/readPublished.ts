import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

/** Creation code of a contract as its team published it. */
export interface PublishedContract {
  abi: Abi;
  bytecode: Hex;
}

const require = createRequire(import.meta.url);
const read = new Map<string, PublishedContract>();

/** Runtime code that a package contains only as a hex literal in a Solidity file. */
export function readHexLiteral(path: string): Hex {
  const [, hex] = /hex"([0-9a-f]+)"/.exec(readFileSync(require.resolve(path), 'utf8')) ?? [];
  if (!hex) throw new TypeError(`${path} has no hex literal.`);
  return `0x${hex}`;
}

interface ArtifactFile {
  abi?: Abi;
  bytecode?: string | { object: string };
}

/** Reads one artifact on first use: the packages contain 130 MB, the sandbox needs 3. */
export function readPublished(path: string): PublishedContract {
  const known = read.get(path);
  if (known) return known;
  const file = JSON.parse(readFileSync(require.resolve(path), 'utf8')) as ArtifactFile;
  const code = typeof file.bytecode === 'string' ? file.bytecode : file.bytecode?.object;
  if (!file.abi || !code) throw new TypeError(`${path} is no contract artifact: abi or bytecode is missing.`);
  const contract = { abi: file.abi, bytecode: (code.startsWith('0x') ? code : `0x${code}`) as Hex };
  read.set(path, contract);
  return contract;
}

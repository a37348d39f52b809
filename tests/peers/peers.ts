import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generatorsPeer } from './clients/generators.ts';
import { gethModule, peersFolder } from './geth/gethProgram.ts';

/** A program of others that judges the service. `npm run prove:peers` installs it, for this user only. */
export interface Peer {
  name: string;
  /** What must exist once it is installed. */
  file: string;
  /** Installs it by the ordinary client. Runs in bash. */
  install: string;
  /** Longest duration of the installation, in seconds. */
  seconds: number;
}

const pythonPackages = ['x402[requests,evm,svm]==2.25.0', 'schemathesis==4.32.5'];

/** A folder whose name changes with what is installed there. */
const folderOf = (name: string, ...contents: readonly string[]) =>
  join(peersFolder, `${name}-${createHash('sha256').update(contents.join('\n')).digest('hex').slice(0, 8)}`);

const python = folderOf('python', ...pythonPackages);
const goModule = 'github.com/x402-foundation/x402/go/v2';
const go = folderOf('go', goModule);

export const peers = {
  geth: {
    name: 'go-ethereum',
    file: join(peersFolder, 'bin', 'geth'),
    install: `GOBIN='${join(peersFolder, 'bin')}' go install ${gethModule}`,
    seconds: 480,
  },
  python: {
    name: 'x402 and schemathesis for Python',
    // The last of what is installed.
    file: join(python, 'bin', 'schemathesis'),
    install: `python3 -m venv '${python}' && '${python}/bin/pip' install --quiet ${pythonPackages.map((name) => `'${name}'`).join(' ')}`,
    seconds: 180,
  },
  go: {
    name: 'x402 for Go',
    // Written when the module and what it needs are downloaded.
    file: join(go, 'go.sum'),
    install: `mkdir -p '${go}' && cd '${go}' && (test -f go.mod || go mod init call) && go get ${goModule}@latest`,
    seconds: 60,
  },
  generators: generatorsPeer,
} satisfies Record<string, Peer>;

/** Programs of a Python environment, such as `python`. */
export const pythonProgram = (name: string) => join(python, 'bin', name);

/** `short`: what `.ci/run` has time for. Undefined outside `npm run prove:peers`. */
export const proofLength = process.env.PROVE_PEERS as 'short' | 'full' | undefined;

/** The file of an installed peer. Otherwise undefined, and prints why its tests are skipped and how to run them. */
export function findPeer(peer: Peer): string | undefined {
  if (!proofLength) {
    console.log(`Skipped the tests with ${peer.name}. To run them: npm run prove:peers`);
    return undefined;
  }
  if (existsSync(peer.file)) return peer.file;
  console.log(`Skipped the tests with ${peer.name}, which is not installed. To run them: ${peer.install}`);
  return undefined;
}

import { numberToHex, toFunctionSelector } from 'viem';
import { trySend, wordOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { CandidatePool } from '../../venues/candidatePool.ts';
import { kinds } from '../../venues/kinds.ts';

/** Which of a chain's Slipstream factories have a fee module. Without one, a pool's fee depends on its tick spacing only. */
export interface FeeModules {
  /** Reads the factories, in one request, unless they are cached. */
  load(block: bigint, node: Node): Promise<void>;
  /** False if the factory has no module. True if it could not be read. */
  mayHave(factory: LowerAddress): boolean;
}

/** The owner of a factory sets its module with a transaction, which is rare. */
const keptMs = 600_000;
const swapFeeModule = toFunctionSelector('function swapFeeModule()');

export function createFeeModules(now: () => number, candidatePools: readonly CandidatePool[]): FeeModules {
  const slipstream = candidatePools.filter(({ kind }) => kind === kinds.slipstream);
  const factories = [...new Set(slipstream.map(({ factory }) => factory))];
  const without = new Set<LowerAddress>();
  let until = 0;
  return {
    async load(block, node) {
      if (factories.length === 0 || now() < until) return;
      const modules = await readModules(factories, block, node);
      if (modules.length === 0) return;
      until = now() + keptMs;
      for (const [index, factory] of factories.entries()) {
        if (modules[index] === 0n) without.add(factory);
        else without.delete(factory);
      }
    },
    mayHave: (factory) => !without.has(factory),
  };
}

/** The address of each factory's module as a number; undefined if it could not be read. Empty if the request failed. */
async function readModules(factories: readonly LowerAddress[], block: bigint, node: Node) {
  const calls = factories.map((to) => ({
    method: 'eth_call',
    params: [{ to, data: swapFeeModule }, numberToHex(block)],
  }));
  return ((await trySend(node, calls)) ?? []).map(wordOf);
}

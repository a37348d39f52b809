import { numberToHex } from 'viem';
import type { SimulationProbe } from '../../chain/capabilities.ts';
import { randomAddress } from '../../chain/lensCall.ts';
import { noteSimulation } from '../../chain/simulationMemory.ts';
import { decodeWords } from '../../chain/words.ts';
import { isMethodMissing } from './addTrades.ts';
import { hasSucceeded } from './fromSimulation.ts';
import { blockProbe } from './standIns.ts';

/** Seconds between the block that a simulation starts from and its only block. */
const afterSeconds = 1n;

/**
 * A simulation of one block, whose only call returns number, time and base fee of that block. A node that refuses it, or
 * runs another block than requested, cannot run the simulations of a check.
 */
export const createSimulationProbe =
  (now: () => number): SimulationProbe =>
  (block, baseFee) => {
    const [probe, from] = [randomAddress(), randomAddress()];
    const expected = block.timestamp + afterSeconds;
    const simulated = {
      stateOverrides: { [probe]: { code: blockProbe } },
      blockOverrides: {
        number: numberToHex(block.number + 1n),
        time: numberToHex(expected),
        baseFeePerGas: numberToHex(baseFee),
      },
      calls: [{ from, to: probe, gas: numberToHex(1_000_000) }],
    };
    return {
      call: { method: 'eth_simulateV1', params: [{ blockStateCalls: [simulated] }, numberToHex(block.number)] },
      note({ memory }, reply) {
        if (!reply) return;
        if ('error' in reply) {
          if (isMethodMissing(reply)) noteSimulation(memory, 'no', now());
          return;
        }
        const [first] = Array.isArray(reply.result) ? reply.result : [];
        const { returnData, status } =
          (first as { calls?: { returnData?: `0x${string}`; status?: string }[] } | undefined)?.calls?.[0] ?? {};
        const [, timestamp] = hasSucceeded(status) ? decodeWords(returnData ?? '0x') : [];
        noteSimulation(memory, timestamp === expected ? 'yes' : 'no', now());
      },
    };
  };

import { getAddress } from 'viem';
import type { LowerAddress } from '../../lowerAddress.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { VendorResult } from '../fetchVendorFacts.ts';
import type { HolderMove } from '../pretradePorts.ts';
import type { DormancyBlock } from '../pretradeTypes.ts';
import { sentence } from './sentence.ts';

/** Time since the largest wallet last sent the token. Derived from the concentration axis. */
export function describeDormancy(
  reading: ExitReading,
  holder: LowerAddress | null,
  move: VendorResult<HolderMove>,
): DormancyBlock {
  const headBlock = Number(reading.blockNumber);
  const unknown = (note: string) => ({ topHolderIdleDays: null, lastTopHolderMoveBlock: null, headBlock, note });
  if (holder === null) return unknown('The largest wallet is not known, because holders could not be measured.');
  const topHolder = getAddress(holder);
  if (move.status !== 'known') {
    const reason =
      move.status === 'none'
        ? `The largest wallet ${topHolder} has never sent the token`
        : `The last transfer sent by the largest wallet ${topHolder} is unavailable: ${move.reason}`;
    return unknown(sentence(reason));
  }
  const { blockNumber, timestamp, source } = move.value;
  return {
    topHolderIdleDays: Math.max(0, Number(reading.timestamp) - timestamp) / 86_400,
    lastTopHolderMoveBlock: Number(blockNumber),
    headBlock,
    note: `Last transfer sent by ${topHolder}, the largest wallet that is not a pool, from ${source}.`,
  };
}

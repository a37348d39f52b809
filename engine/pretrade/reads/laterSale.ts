import { isHex, numberToHex } from 'viem';
import { type Batch, resultOf } from '../../chain/batch.ts';
import type { Node } from '../../chain/node.ts';
import { LensAnswerError } from '../../chain/wordReader.ts';
import { hasSwapHook } from '../../venues/uniswapV4/poolKey.ts';
import { decodeExit } from '../exit/decodeExit.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import { poolKey } from '../exit/splitListed.ts';
import type { TradePlan } from '../simulation/simulationTypes.ts';
import { toPoolsCall } from '../tokenCalls.ts';
import type { PretradeEnvironment } from '../tokenReading.ts';

/** Blocks of a day on Base. A simulation of trades reaches far fewer. */
const laterBlocks = 43_200n;
const laterSeconds = 86_400n;

/**
 * Adds the sale of the exit lens in the best pool, as if the block were a day later, if that pool has a hook: a hook can
 * start to take more in a block that simulated trades do not reach.
 * @returns a function that returns the part by which the sale pays less than now, as a fraction; null if it could not be
 * measured
 */
export function addLaterSale(
  batch: Batch,
  environment: PretradeEnvironment,
  node: Node,
  { plan, exit }: { plan: TradePlan | undefined; exit: ExitReading },
): () => number | null {
  const pool = exit.exits.find((candidate) => plan && poolKey(candidate) === poolKey(plan.pool));
  if (!plan || !pool || !hasSwapHook(pool.hooks) || pool.drawn === 0n) return () => null;
  const { blockNumber, timestamp } = exit;
  const block = numberToHex(blockNumber);
  const call = toPoolsCall(environment, node, { token: plan.pool.token, known: [pool], block });
  const overrides = {
    number: numberToHex(blockNumber + laterBlocks),
    time: numberToHex(timestamp + laterSeconds),
  };
  // Some nodes reject block overrides: then nothing is measured.
  const reply = batch.add({ ...call, params: [...call.params, overrides] });
  return () => {
    const result = resultOf(reply()[0]);
    if (!isHex(result)) return null;
    try {
      const [later] = decodeExit(result).exits;
      const isMeasured = later && ['filled', 'partial', 'rejected'].includes(later.status);
      return isMeasured ? 1 - Number(later.drawn) / Number(pool.drawn) : null;
    } catch (error) {
      if (error instanceof LensAnswerError) return null;
      throw error;
    }
  };
}

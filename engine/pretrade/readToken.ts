import { ensureBaseFee } from '../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../chain/node.ts';
import { loadFunding } from '../quote/funding/loadFunding.ts';
import { emptyExecution } from '../quote/plan/executePlans.ts';
import { weighTransferability } from './axes/transferability.ts';
import { agree } from './axes/transferFinding.ts';
import { recallPools } from './exit/recallPools.ts';
import { rememberExit } from './exit/recheck.ts';
import type { PowerMemory } from './powers/powerMemory.ts';
import { readFirst } from './reads/readFirst.ts';
import { readRest } from './reads/readRest.ts';
import type { TokenMemory } from './tokenMemory.ts';
import type { PretradeEnvironment, ReadOptions, TokenReading } from './tokenReading.ts';
import { tradeGapOf } from './tradeGap.ts';

/**
 * Reads everything that the verdict and the facts need, at one block: two reads for a token seen the first time or at
 * another size, one after that. A read that needs the logs runs beside the second. One more if the best pool is outside
 * our lists, a new block arrives between the reads, or the code has more functions than one read can try.
 * @throws {NodeRefusedError | RpcTransportError}
 */
export async function readToken(
  environment: PretradeEnvironment,
  options: ReadOptions,
  powers: PowerMemory,
  node: Node,
): Promise<TokenReading> {
  const { data, memories } = environment;
  const { token } = options;
  if (node.memory.readMode === 'quoters') throw new NodeRefusedError(`${node.label} does not run the lens.`);
  const memory = memories.get(token);
  const isBase = data.deployment.pricingAssets.some(({ address }) => address === token);
  data.hints.prefetch(token);
  const fromLogs = await recallPools({
    pools: environment.pools,
    token,
    memory,
    head: environment.head.number,
    isBase,
    pace: data.pace,
  });
  // Read at once, if they are known from an earlier check. Only a complete read of the logs shows what else there is.
  const hinted = memory?.scannedTo === undefined ? data.hints.recall(token).creations : [];
  const recalled = { ...fromLogs, likely: [...fromLogs.likely, ...hinted] };
  await ensureBaseFee(node);
  await loadFunding(data, node, options.marketQuery.tokenIn);
  const first = await readFirst(environment, options, node, memory, recalled).catch(async (error: unknown) => {
    if (!(error instanceof NodeRefusedError) || node.memory.readMode !== undefined) throw error;
    // This node is untested: test whether it runs the lens, and read again.
    await data.lens.test(node, emptyExecution(data.deployment));
    return readFirst(environment, options, node, memory, recalled);
  });
  const rest = await readRest(environment, options, powers, node, first);
  if (!node.block) throw new NodeRefusedError(`${node.label} returned no header of the check's block.`);
  const reading: TokenReading = { ...rest, block: node.block };
  if (!reading.enumerated.ok) environment.pools?.wake();
  const gap = tradeGapOf(reading);
  node.memory.simulationFailedAt = gap === undefined ? undefined : options.now;
  if (gap !== undefined) environment.onNodeFault?.({ chain: 'base', node: node.label, fault: gap });
  if (reading.code) {
    const { code, creations, plans, enumerated, exit, accounts, roles } = reading;
    const scannedTo = enumerated.ok ? exit.blockNumber : undefined;
    const searchedAt = (reading.rechecked && memory?.exit?.searchedAt) || options.now;
    const poolsTruncated = reading.creationsTruncated;
    memories.set(token, {
      code,
      pools: creations,
      poolsTruncated,
      othersWait: reading.othersWait,
      accounts,
      roles,
      b20: reading.b20?.memory,
      plans,
      scannedTo,
      sizeUsd: options.sizeUsd,
      ...rememberTrades(memory, reading, first.shared),
      exit: reading.isThin ? undefined : rememberExit(exit, reading.listed, searchedAt),
    });
  }
  return reading;
}

/**
 * After shared simulations, keeps the transferability of the last check. If separate simulations then have the same
 * results as before, the scenarios disturb each other with this token: it is simulated separately from then on, until its
 * results change.
 */
function rememberTrades(
  memory: TokenMemory | undefined,
  { shared, scenarios }: TokenReading,
  wasShared: boolean,
): Pick<TokenMemory, 'trade' | 'tradesShare'> {
  if (memory && shared) return { trade: memory.trade, tradesShare: true };
  const trade = weighTransferability(scenarios);
  const isUnchanged = memory !== undefined && agree(trade, memory.trade);
  return { trade, tradesShare: isUnchanged ? memory.tradesShare && !wasShared : true };
}

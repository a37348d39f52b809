import type { Hex } from 'viem';
import type { Batch } from '../../chain/batch.ts';
import { answerOf } from '../../chain/lensCall.ts';
import { type Node, NodeRefusedError } from '../../chain/node.ts';
import { type MarketRead, prepareMarket, prepareProof } from '../../quote/market/prepareMarket.ts';
import type { ExitReading } from '../exit/exitTypes.ts';
import type { PretradeEnvironment, ReadOptions } from '../tokenReading.ts';

/**
 * Adds the calls for the market of the quote to a batch of a check: the states of its pools, and executions.
 * @returns a function that decodes the replies; undefined if they are not of the block of `exit`, or malformed
 */
export async function addMarket(
  batch: Batch,
  { data }: PretradeEnvironment,
  { token, marketQuery }: ReadOptions,
  node: Node,
  block: Hex | 'latest',
): Promise<(exit: ExitReading) => Promise<MarketRead | undefined>> {
  if (token === marketQuery.tokenIn) return async () => undefined;
  const prepared = await prepareMarket(data, marketQuery, node, block);
  const answers = addCalls(batch, data.lens, prepared.requests, node);
  return async ({ blockNumber, parentHash }) => {
    const market = await orIfRefused(() => prepared.read(answers(), node));
    const read = market?.read.states.block;
    return read?.number === blockNumber && read.parentHash === parentHash ? market : undefined;
  };
}

/**
 * Searches the market and adds the executions that its plan needs to a batch at its block.
 * @returns a function that adds the replies to the market
 */
export async function addProof(
  batch: Batch,
  { data }: PretradeEnvironment,
  { marketQuery }: ReadOptions,
  market: MarketRead,
  node: Node,
): Promise<() => Promise<MarketRead>> {
  const { requests, read } = await prepareProof(data, marketQuery, market, node);
  const answers = addCalls(batch, data.lens, requests, node);
  // `planMarket` sends the calls whose answers are malformed again.
  return async () => (await orIfRefused(async () => read(answers()))) ?? market;
}

function addCalls(
  batch: Batch,
  lens: PretradeEnvironment['data']['lens'],
  requests: Awaited<ReturnType<typeof prepareMarket>>['requests'],
  node: Node,
): () => (Hex | undefined)[] {
  const replies = batch.add(...requests.map((request) => lens.toCall(node, request)));
  return () => replies().map((reply) => reply && answerOf(reply));
}

/** Undefined if the node's answer is malformed: the check does not depend on its quote. */
async function orIfRefused<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof NodeRefusedError) return undefined;
    throw error;
  }
}

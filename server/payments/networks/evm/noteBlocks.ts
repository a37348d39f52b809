import { type Chain, ChainUnreachableError, type RpcRequest } from '../../chainCall.ts';

/** A block older than this is forgotten: after a reorganisation, or a node's wrong height, the head may be lower. */
const seenLifeMs = 60_000;

/** The block number in a result; undefined if it has none. */
function blockIn([method, params]: RpcRequest<unknown>, result: unknown): bigint | undefined {
  if (method === 'eth_blockNumber' && typeof result === 'bigint') return result;
  if (typeof result !== 'object' || result === null) return undefined;
  if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && 'number' in result)
    return BigInt(`${result.number}`);
  if (method === 'eth_getTransactionReceipt' && 'blockNumber' in result) return BigInt(`${result.blockNumber}`);
  return undefined;
}

/**
 * Notes the newest block in the results of verified calls. One URL may have several nodes, and the next request may
 * reach one that is behind: there, a payment that was seen as paid is still unused.
 */
export function noteBlocks(chain: Chain): { chain: Chain; assertNotBehind(block: bigint): void } {
  let seen = { block: 0n, at: 0 };
  function note(request: RpcRequest<unknown>, result: unknown): void {
    const block = blockIn(request, result);
    if (block !== undefined && (block >= seen.block || isOld())) seen = { block, at: Date.now() };
  }
  const isOld = (): boolean => Date.now() - seen.at > seenLifeMs;
  return {
    chain: {
      ...chain,
      async callVerified(...request) {
        const result = await chain.callVerified(...request);
        note(request, result);
        return result;
      },
      async callAllVerified(...requests) {
        const results = await chain.callAllVerified(...requests);
        for (const [index, request] of requests.entries()) note(request as RpcRequest<unknown>, results[index]);
        return results as never;
      },
    },
    /** @throws {ChainUnreachableError} a newer block was read within the last minute */
    assertNotBehind(block) {
      if (block >= seen.block || isOld()) return;
      throw new ChainUnreachableError(
        `The node is at block ${block}, behind block ${seen.block} that was read before.`,
      );
    },
  };
}

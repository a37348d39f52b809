import { blockParam, type LogRpc, takeResult } from './logRpc.ts';
import { type ChainHead, header } from './readChainHead.ts';

/** A reorganisation may still replace blocks of this age. */
const unsettledSeconds = 60;
/** The least and the most such blocks: local chains mine on demand, or all at once. */
const least = 64;
const most = 1_200;
/** Blocks from which the interval is measured: a minute of the fastest chain. */
const distance = 300;

/**
 * The newest block that is old enough to be stored. Its age counts, not its depth: 64 blocks are 13 seconds of Base and two
 * minutes of Polygon. Negative on a young chain.
 *
 * @throws {VendorUnavailableError | RpcTransportError}
 */
export async function readSettledBlock(rpc: LogRpc, head: Pick<ChainHead, 'number' | 'timestamp'>): Promise<number> {
  const earlier = Math.max(0, head.number - distance);
  const [reply] = await rpc.send([{ method: 'eth_getBlockByNumber', params: [blockParam(earlier), false] }]);
  const seconds = Math.max(1, head.timestamp - takeResult(reply, header).timestamp);
  const blocks = Math.ceil((unsettledSeconds * (head.number - earlier)) / seconds);
  return head.number - Math.min(most, Math.max(least, blocks));
}

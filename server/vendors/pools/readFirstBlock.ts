import { z } from 'zod';
import { blockParam, type LogRpc, takeResult } from '../logs/logRpc.ts';
import { VendorUnavailableError } from '../ports.ts';

const code = z.string().regex(/^0x[0-9a-f]*$/i);

/**
 * The first block at which one of the factories has code: no earlier block has their logs. 0 if the node no longer has the
 * state of old blocks. Takes one request for each bisection.
 *
 * @throws {RpcTransportError}
 */
export async function readFirstBlock(rpc: LogRpc, factories: readonly string[], head: number): Promise<number> {
  let [low, high] = [0, head];
  try {
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const calls = factories.map((factory) => ({ method: 'eth_getCode', params: [factory, blockParam(middle)] }));
      const replies = await rpc.send(calls);
      const hasCode = factories.map((_, index) => takeResult(replies[index], code) !== '0x').some(Boolean);
      if (hasCode) high = middle;
      else low = middle + 1;
    }
  } catch (error) {
    if (!(error instanceof VendorUnavailableError && error.fault === 'refused')) throw error;
    return 0;
  }
  return low;
}

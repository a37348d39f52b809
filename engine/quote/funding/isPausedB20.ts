import { encodeFunctionData, type Hex } from 'viem';
import type { Node } from '../../chain/node.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { b20Abi, b20Features, b20Singletons, hasB20Shape } from '../../venues/b20/b20.ts';

/**
 * Whether transfers of this B20 token are paused at the block, so that no sale is possible. False for other tokens, which
 * cost no request, and if a read failed.
 * @throws {RpcTransportError}
 */
export async function isPausedB20(node: Node, token: LowerAddress, block: Hex): Promise<boolean> {
  if (!hasB20Shape(token)) return false;
  const isCreated = encodeFunctionData({ abi: b20Abi, functionName: 'isB20Initialized', args: [token] });
  const feature = b20Features.indexOf('TRANSFER');
  const isPaused = encodeFunctionData({ abi: b20Abi, functionName: 'isPaused', args: [feature] });
  const replies = await sendTogether(node, [
    { method: 'eth_call', params: [{ to: b20Singletons.factory, data: isCreated }, block] },
    { method: 'eth_call', params: [{ to: token, data: isPaused }, block] },
  ]);
  return replies.every((reply) => 'result' in reply && reply.result === trueWord);
}

const trueWord = `0x${'1'.padStart(64, '0')}`;

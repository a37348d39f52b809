import {
  type Address,
  concatHex,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
  numberToHex,
  parseAbi,
} from 'viem';
import { multicall3 } from '../../../engine/chain/multicall3.ts';
import type { Node } from '../../../engine/chain/node.ts';
import type { RpcCall, RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import { header } from './testLens.ts';
import { testNode } from './testNode.ts';

/** What a contract returned in Multicall3, a revert with an error, or one without data. */
export type Returned = Hex | 'reverted' | 'unread';
/** One read of a contract inside a call of Multicall3. */
export interface SeenRead {
  to: Address;
  data: Hex;
}

/** The contracts that the quoters' reads call, by the published interfaces. */
export const venueAbi = parseAbi([
  'function factory() view returns (address)',
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)',
  'function getPair(address tokenA, address tokenB) view returns (address pair)',
  'function getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24, uint16, uint16, uint16, uint8, bool)',
  'struct Params { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(Params params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)',
]);

export const words = (...values: readonly (bigint | Hex)[]): Hex =>
  concatHex(values.map((value) => numberToHex(BigInt(value), { size: 32 })));

const arbSys = '0x0000000000000000000000000000000000000064';
/** Contracts of the chain itself, in the block of `header`, by address and selector. */
const ofBlock: Record<string, Hex> = {
  [`${multicall3}0x42cbb15c`]: words(0x10n),
  [`${arbSys}0xa3b1b31d`]: words(0x10n),
  [`${multicall3}0x27e86d6e`]: header.parentHash as Hex,
};

interface Script {
  answer?: (read: SeenRead) => Returned;
  chain?: Node['chain'];
  headerFields?: object;
  /** Timestamp of the block. */
  time?: bigint;
  /** Replaces what the block's own contracts return, by address and selector. */
  block?: Record<string, Returned>;
  /** Replaces the reply to the call of Multicall3. */
  reply?: RpcReply;
  /** Results that the node leaves out at the end. */
  dropped?: number;
}

/** A node that runs Multicall3 with scripted contracts. `seen` has the reads of each call, `calls` the calls. */
export function quoterNode({ answer = () => 'unread', chain = 'base', time = 0x10n, ...script }: Script) {
  const seen: SeenRead[][] = [];
  const calls: RpcCall[] = [];
  const own: Record<string, Returned> = { ...ofBlock, [`${multicall3}0x0f28c97d`]: words(time), ...script.block };
  const resultOf = (read: SeenRead): Returned => own[`${read.to}${read.data}`] ?? answer(read);
  const run = (call: RpcCall): RpcReply => {
    const [{ data }] = call.params as [{ data: Hex }];
    const { args } = decodeFunctionData({ abi: multicall3Abi, data });
    const reads = (args as readonly [readonly { target: Address; callData: Hex }[]])[0].map((each) => ({
      to: toLowerAddress(each.target),
      data: each.callData,
    }));
    calls.push(call);
    seen.push(reads.slice(3));
    if (script.reply) return script.reply;
    const results = reads.map((read) => {
      const returned = resultOf(read);
      if (returned === 'unread') return { success: false, returnData: '0x' as Hex };
      return returned === 'reverted'
        ? { success: false, returnData: '0x08c379a0' as Hex }
        : { success: true, returnData: returned };
    });
    const result = results.slice(0, results.length - (script.dropped ?? 0));
    return { result: encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result }) };
  };
  const node = testNode({
    chain,
    send: async (sent) =>
      sent.map((call) =>
        call.method === 'eth_getBlockByNumber'
          ? { result: { ...header, timestamp: numberToHex(time), ...script.headerFields } }
          : run(call),
      ),
  });
  return { node, seen, calls };
}

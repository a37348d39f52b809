import { type Hex, numberToHex } from 'viem';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../engine/index.ts';

export interface HostedNode extends RpcEndpoint {
  /** First block and size of each accepted or refused log range. */
  ranges: { from: number; size: number; isRefused: boolean }[];
}

export interface HostedRules {
  /** The first block at which the factories have code. */
  firstBlock?: number;
  head?: () => number;
  chainId?: number;
  /** The longest range of blocks. */
  range?: number;
  /** The message of a refused range. */
  states?: string;
  batches?: boolean;
  /** Whether the node has the state of old blocks. */
  history?: boolean;
  /** The logs of a range. */
  logs?: (from: number, to: number) => object[];
  /** The hash of a block. */
  hash?: (block: number) => Hex;
  /** Called before each request; may throw. */
  onSend?: () => void;
}

/** A node with the rules of a hosted one: a limit of ranges, which its message states, and no batches. */
export function startHostedNode({
  firstBlock = 0,
  head = () => 1_000_000,
  chainId = 137,
  range = 10_000,
  states = `limited to a ${range} block range`,
  batches = false,
  history = true,
  logs = () => [],
  hash = (block) => numberToHex(block + 1, { size: 32 }),
  onSend,
}: HostedRules): HostedNode {
  const ranges: HostedNode['ranges'] = [];
  const blockOf = (number: number) =>
    number > head() ? null : { number: numberToHex(number), hash: hash(number), timestamp: numberToHex(number) };
  function reply({ method, params }: RpcCall): RpcReply {
    const [first, second] = params as [unknown, string];
    if (method === 'eth_getBlockByNumber') return { result: blockOf(first === 'latest' ? head() : Number(first)) };
    if (method === 'eth_chainId') return { result: numberToHex(chainId) };
    if (method === 'eth_getCode')
      return history
        ? { result: Number(second) >= firstBlock ? '0x01' : '0x' }
        : { error: { code: -32_000, message: 'missing trie node' } };
    const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string };
    const [from, to] = [Number(fromBlock), toBlock === 'latest' ? head() : Number(toBlock)];
    const isRefused = to - from + 1 > range;
    ranges.push({ from, size: to - from + 1, isRefused });
    return isRefused ? { error: { code: -32_005, message: states } } : { result: logs(from, to) };
  }
  return {
    label: 'polygon-1',
    ranges,
    send: async (calls) => {
      onSend?.();
      if (calls.length > 1 && !batches) throw new RpcTransportError('polygon-1 returned HTTP 400.', { answered: true });
      return calls.map(reply);
    },
  };
}

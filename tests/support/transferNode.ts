import { type Address, encodeAbiParameters, type Hex, keccak256, numberToHex, pad, toHex } from 'viem';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../server/vendors/ports.ts';
import { transferTopic } from '../../server/vendors/transport/transferTopic.ts';

/** A transfer on a test chain. */
export interface TestTransfer {
  block: number;
  from: Address;
  to: Address;
  value: bigint;
}

/** A test node: a chain of Transfer logs of one token, with the limits and faults of real nodes. */
export interface TransferNode extends RpcEndpoint {
  head: number;
  transfers: TestTransfer[];
  /** Part of all block hashes; a change simulates a reorg. */
  history: string;
  /** First block in which the token has code. `eth_getCode` works only with `keepsStates`, as on an archive node. */
  deployedAt: number;
  keepsStates: boolean;
  /** The oldest block with a state, if the node keeps states. Of earlier blocks it returns empty code. */
  statesSince: number;
  /** Undefined: the node returns no supply. */
  totalSupply: bigint | undefined;
  maxRange: number;
  maxLogs: number;
  /** Whether errors suggest a valid range, as some nodes do. */
  suggests: boolean;
  /** Called before each request; may throw. */
  beforeSend: (calls: readonly RpcCall[]) => void | Promise<void>;
  /** Rewrites each reply. */
  rewrite: (call: RpcCall, reply: RpcReply) => RpcReply;
  requests: RpcCall[][];
}

const refusal = (message: string): RpcReply => ({ error: { code: -32005, message } });

const unlimited = {
  label: 'test',
  head: 1_000,
  history: 'a',
  deployedAt: 0,
  keepsStates: false,
  statesSince: 0,
  totalSupply: undefined,
  maxRange: Number.POSITIVE_INFINITY,
  maxLogs: Number.POSITIVE_INFINITY,
  suggests: false,
  beforeSend: () => undefined,
  rewrite: (_: RpcCall, reply: RpcReply) => reply,
};

export function createTransferNode(token: Address, given: Partial<TransferNode> = {}): TransferNode {
  const node: TransferNode = {
    ...unlimited,
    transfers: [],
    requests: [],
    async send(calls, { signal }) {
      node.requests.push([...calls]);
      await node.beforeSend(calls);
      if (signal.aborted) throw new RpcTransportError('aborted');
      return calls.map((call) => node.rewrite(call, answer(call)));
    },
    ...given,
  };

  const blockHash = (block: number): Hex => keccak256(toHex(`${node.history}|${block}`));
  const transactionHash = (index: number): Hex => keccak256(toHex(`tx|${node.history}|${index}`));

  function answerLogs(filter: { address: Address; fromBlock: Hex; toBlock: Hex }): RpcReply {
    const from = Number(filter.fromBlock);
    const to = Number(filter.toBlock);
    if (to - from + 1 > node.maxRange) {
      const hint = node.suggests
        ? ` this block range should work: [${numberToHex(from)}, ${numberToHex(from + node.maxRange - 1)}]`
        : '';
      return refusal(`block range too large${hint}`);
    }
    const found = node.transfers
      .map((transfer, index) => ({ ...transfer, index }))
      .filter(({ block }) => block >= from && block <= to);
    if (found.length > node.maxLogs) return refusal('query returned more results than allowed');
    return {
      result: found.map(({ block, from: sender, to: receiver, value, index }) => ({
        address: token,
        topics: [transferTopic, pad(sender), pad(receiver)],
        data: encodeAbiParameters([{ type: 'uint256' }], [value]),
        blockNumber: numberToHex(block),
        blockHash: blockHash(block),
        transactionHash: transactionHash(index),
        logIndex: numberToHex(index),
        removed: false,
      })),
    };
  }

  function answer({ method, params }: RpcCall): RpcReply {
    const [first, second] = params as [Hex & Address, Hex];
    if (method === 'eth_getLogs') return answerLogs(params[0] as Parameters<typeof answerLogs>[0]);
    if (method === 'eth_getBlockByNumber') {
      const block = first === ('latest' as Hex) ? node.head : Number(first);
      if (block > node.head) return { result: null };
      return {
        result: {
          number: numberToHex(block),
          hash: blockHash(block),
          timestamp: numberToHex(1_700_000_000 + 2 * block),
        },
      };
    }
    if (method === 'eth_getTransactionByHash') return { result: { hash: first, from: token } };
    if (method === 'eth_getCode') {
      if (!node.keepsStates) return refusal('missing trie node');
      if (Number(second) < node.statesSince) return { result: '0x' };
      const exists = first.toLowerCase() !== token.toLowerCase() || Number(second) >= node.deployedAt;
      return { result: exists ? '0x60' : '0x' };
    }
    if (method === 'eth_call' && node.totalSupply !== undefined) {
      return { result: encodeAbiParameters([{ type: 'uint256' }], [node.totalSupply]) };
    }
    return { result: '0x' };
  }
  return node;
}

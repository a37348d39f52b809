import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  parseAbi,
  toHex,
} from 'viem';
import { recordsOfGroup } from '../../server/payments/networks/evm/groupCall.ts';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../server/vendors/ports.ts';
import {
  type Block,
  type EvmChain,
  execute,
  lower,
  NodeError,
  Revert,
  type TestAuthorization,
  tokenAbi,
  word,
} from './evmChain.ts';

const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
]);
const aggregate3 = '0x82ad56cb';
const latestRoundData = '0xfeaf968c';
const decimals = '0x313ce567';
const getCurrentBlockTimestamp = '0x0f28c97d';

/** The lags, loss and delay of one request. */
export interface RequestFaults {
  /** Blocks by which the node of an item lags. */
  lagOf(call: RpcCall): number;
  /** `request`: lost before the node; `reply`: lost after the node has executed it. */
  loss?: 'request' | 'reply' | undefined;
  delayMs: number;
}

const errorInputs = [{ type: 'string', name: 'message' }] as const;
const revertData = (message: string): Hex => `0x08c379a0${encodeAbiParameters(errorInputs, [message]).slice(2)}`;
const copyOf = ({ balances, used }: Block) => ({ balances: new Map(balances), used: new Map(used) });

/** The state that a call sees: the named block, or the newest one of a node that lags. @throws {NodeError} */
function viewOf(chain: EvmChain, tag: unknown, lag: number): Block {
  const last = Math.max(0, chain.blocks.length - 1 - lag);
  const newest = chain.blocks[last] as Block;
  if (tag === 'latest' || tag === undefined) return newest;
  if (tag === 'pending') return { ...newest, timestamp: Math.max(newest.timestamp, chain.seconds()) };
  const found = chain.blocks.slice(0, last + 1).find(({ number }) => number === Number(tag));
  if (!found) throw new NodeError('header not found');
  return found;
}

/** The results of a group's simulation, in the form of `groupCall.ts`. */
function tryGroup({ known }: EvmChain, block: Block, data: Hex): Hex {
  const state = copyOf(block);
  const results = recordsOfGroup(data).map(({ nonce }) => {
    let returned: Hex = '0x';
    try {
      execute(state, block.timestamp, known.get(lower(`0x${nonce}`)) as TestAuthorization);
    } catch (error) {
      if (!(error instanceof Revert)) throw error;
      returned = revertData(error.message);
    }
    const size = Math.min((returned.length - 2) / 2, 160);
    const facts = [returned === '0x' ? 1 : 0, 60_000, 0, size].map((value) => word(value).slice(2)).join('');
    return facts + returned.slice(2, 2 + 2 * size).padEnd(320, '0');
  });
  return `0x${results.join('')}`;
}

function callToken({ known, options }: EvmChain, block: Block, data: Hex): Hex {
  const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data });
  if (functionName === 'DOMAIN_SEPARATOR') return options.separator;
  if (functionName === 'balanceOf') return word(block.balances.get(lower(args[0])) ?? 0n);
  if (functionName === 'paused' || functionName === 'isBlacklisted') return word(0);
  if (functionName === 'authorizationState') return word(block.used.has(lower(args[1])) ? 1 : 0);
  execute(copyOf(block), block.timestamp, known.get(lower(args[5])) as TestAuthorization);
  return '0x';
}

/** Price feed and clock: one coin costs 2,000 USD. */
function callOther(block: Block, data: Hex): Hex {
  if (data.startsWith(latestRoundData)) {
    return `0x${[1, 200_000_000_000, 0, block.timestamp, 1].map((value) => word(value).slice(2)).join('')}`;
  }
  if (data.startsWith(decimals)) return word(8);
  return word(data.startsWith(getCurrentBlockTimestamp) ? block.timestamp : 0);
}

function call(chain: EvmChain, block: Block, { to, data }: { to?: Address; data: Hex }): Hex {
  if (!to) return tryGroup(chain, block, data);
  if (lower(to) === lower(chain.options.asset)) return callToken(chain, block, data);
  if (!data.startsWith(aggregate3)) return callOther(block, data);
  const [calls] = decodeFunctionData({ abi: multicallAbi, data }).args;
  const result = calls.map(({ target, callData }) => ({
    success: true,
    returnData: call(chain, block, { to: target, data: callData }),
  }));
  return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
}

function findLogs(chain: EvmChain, filter: { fromBlock: Hex; toBlock: Hex; topics: [Hex[], Hex, Hex] }, lag: number) {
  const last = Math.min(viewOf(chain, 'latest', lag).number, Number(filter.toBlock));
  const [kinds, payer, nonce] = filter.topics;
  return chain.blocks
    .filter(({ number }) => number >= Number(filter.fromBlock) && number <= last)
    .flatMap(({ logs }) => logs)
    .filter(({ topics: [kind = '0x', of = '', used = ''] }) => {
      return kinds.includes(kind) && lower(of) === lower(payer) && lower(used) === lower(nonce);
    });
}

function countTransactions(chain: EvmChain, tag: unknown, lag: number): number {
  let { count } = viewOf(chain, tag === 'pending' ? 'latest' : tag, lag);
  if (tag !== 'pending') return count;
  while (chain.mempool.some(({ nonce }) => nonce === count)) count += 1;
  return count;
}

function findReceipt(chain: EvmChain, hash: Hex, lag: number): object | null {
  const last = viewOf(chain, 'latest', lag).number;
  const block = chain.blocks.find(({ receipts, number }) => number <= last && receipts.has(hash));
  return block?.receipts.get(hash) ?? null;
}

/** @throws {Revert} @throws {NodeError} */
function answer(chain: EvmChain, { method, params }: RpcCall, lag: number): unknown {
  const [first, second] = params as [never, unknown];
  switch (method) {
    case 'eth_chainId':
      return toHex(chain.options.chainId);
    case 'eth_blockNumber':
      return toHex(viewOf(chain, 'latest', lag).number);
    case 'eth_getBlockByNumber': {
      const { number, timestamp, hash } = viewOf(chain, first, lag);
      return { number: toHex(number), timestamp: toHex(timestamp), hash, baseFeePerGas: toHex(1_000_000) };
    }
    case 'eth_maxPriorityFeePerGas':
      return toHex(1_000_000);
    case 'eth_getBalance':
      return toHex(10n ** 18n);
    case 'eth_getCode':
      return '0x';
    case 'eth_call':
      return call(chain, viewOf(chain, second, lag), first);
    case 'eth_estimateGas':
      call(chain, viewOf(chain, second, lag), first);
      return toHex(90_000);
    case 'eth_getTransactionCount':
      return toHex(countTransactions(chain, second, lag));
    case 'eth_getTransactionReceipt':
      return findReceipt(chain, first, lag);
    case 'eth_getLogs':
      return findLogs(chain, first, lag);
    case 'eth_sendRawTransaction':
      return chain.receive(first);
    default:
      throw new NodeError(`the method ${method} does not exist`);
  }
}

function replyTo(chain: EvmChain, request: RpcCall, lag: number): RpcReply {
  try {
    return { result: answer(chain, request, lag) };
  } catch (error) {
    if (error instanceof Revert) {
      return { error: { code: 3, message: `execution reverted: ${error.message}`, data: revertData(error.message) } };
    }
    if (!(error instanceof NodeError)) throw error;
    return { error: { code: error.message.startsWith('the method') ? -32601 : -32000, message: error.message } };
  }
}

/** A node of the chain, whose faults and lags are drawn for each request. */
export const createEvmNode = (
  chain: EvmChain,
  draw: () => RequestFaults,
  sleep: (ms: number) => Promise<unknown>,
): RpcEndpoint => ({
  label: 'test node',
  async send(calls) {
    const { lagOf, loss, delayMs } = draw();
    if (loss === 'request') throw new RpcTransportError('The request was lost.');
    const replies = calls.map((item) => replyTo(chain, item, lagOf(item)));
    if (delayMs > 0) await sleep(delayMs);
    if (loss === 'reply') throw new RpcTransportError('The reply was lost.');
    return replies;
  },
});

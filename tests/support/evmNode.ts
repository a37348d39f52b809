import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionResult,
  type Hex,
  numberToHex,
  pad,
  parseAbi,
  parseTransaction,
  toEventSelector,
  toHex,
} from 'viem';
import { keccak256 } from '../../server/payments/keccak256.ts';
import { isGroup, recordsOfGroup } from '../../server/payments/networks/evm/groupCall.ts';
import { type RpcCall, type RpcEndpoint, type RpcReply, RpcTransportError } from '../../server/vendors/ports.ts';

/** A signed authorization that the chain can execute. */
export interface TestAuthorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

interface Transaction {
  hash: Hex;
  /** Nonce of the facilitator's account; undefined for a transaction of another account. */
  nonce: number | undefined;
  isGroup: boolean;
  authorizations: readonly TestAuthorization[];
  /** Another effect on the balances, such as a withdrawal by the payer. */
  apply?: (balances: Map<string, bigint>, used: Map<string, 'paid' | 'cancelled'>) => void;
}

interface Block {
  number: number;
  timestamp: number;
  hash: Hex;
  balances: Map<string, bigint>;
  used: Map<string, 'paid' | 'cancelled'>;
  count: number;
  transactions: readonly Transaction[];
  receipts: Map<Hex, object>;
  /** The block's logs of the token. */
  logs: { topics: readonly Hex[]; data: Hex; transactionHash: Hex; logIndex: Hex; address: Address }[];
}

const tokenAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const multicallAbi = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[])',
]);
const errorStringAbi = parseAbi(['error Error(string message)']);
const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const cancelledTopic = toEventSelector('AuthorizationCanceled(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');
const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 });
const lower = (text: string): string => text.toLowerCase();

class Revert extends Error {}
class NodeError extends Error {}

/** What one request meets on its way; drawn for each request. */
export interface Weather {
  /** Blocks by which the node of an item lags. */
  lagOf(call: RpcCall): number;
  /** `request`: lost before the node; `reply`: lost after the node has executed it. */
  loss?: 'request' | 'reply' | undefined;
  delayMs: number;
}

/** The rules of USDC's `transferWithAuthorization`, in its order. @throws {Revert} */
function execute(
  { balances, used }: Pick<Block, 'balances' | 'used'>,
  timestamp: number,
  signed: TestAuthorization,
): void {
  if (BigInt(timestamp) <= signed.validAfter) throw new Revert('FiatTokenV2: authorization is not yet valid');
  if (BigInt(timestamp) >= signed.validBefore) throw new Revert('FiatTokenV2: authorization is expired');
  if (used.has(lower(signed.nonce))) throw new Revert('FiatTokenV2: authorization is used or canceled');
  const balance = balances.get(lower(signed.from)) ?? 0n;
  if (balance < signed.value) throw new Revert('ERC20: transfer amount exceeds balance');
  balances.set(lower(signed.from), balance - signed.value);
  balances.set(lower(signed.to), (balances.get(lower(signed.to)) ?? 0n) + signed.value);
  used.set(lower(signed.nonce), 'paid');
}

/**
 * A chain with one token, in memory: blocks, a mempool, reorganisations, and nodes that lag. Only the facilitator's own
 * transactions are decoded; others are added by the test.
 */
export function createEvmChain(options: {
  chainId: number;
  asset: Address;
  multicall: Address;
  separator: Hex;
  now(): number;
}) {
  const { chainId, asset, separator, now } = options;
  const known = new Map<string, TestAuthorization>();
  const seconds = (): number => Math.floor(now() / 1_000);
  let forks = 0;
  const blocks: Block[] = [];
  let mempool: Transaction[] = [];
  /** When each transaction was broadcast first. */
  const broadcastAt = new Map<Hex, number>();

  const head = (): Block => blocks.at(-1) as Block;

  function include(block: Block, transaction: Transaction): void {
    const { hash, authorizations, isGroup: isInGroup } = transaction;
    const logs: Block['logs'] = [];
    const emit = (topics: readonly Hex[], data: Hex) =>
      logs.push({
        topics,
        data,
        transactionHash: hash,
        address: asset,
        logIndex: toHex(block.logs.length + logs.length),
      });
    let failed = false;
    for (const signed of authorizations) {
      try {
        execute(block, block.timestamp, signed);
        emit([usedTopic, pad(signed.from), signed.nonce], '0x');
        emit([transferTopic, pad(signed.from), pad(signed.to)], word(signed.value));
      } catch (error) {
        if (!(error instanceof Revert)) throw error;
        failed = !isInGroup;
      }
    }
    transaction.apply?.(block.balances, block.used);
    if (transaction.nonce !== undefined) block.count += 1;
    block.logs.push(...logs);
    block.receipts.set(hash, {
      status: failed ? '0x0' : '0x1',
      transactionHash: hash,
      blockNumber: toHex(block.number),
      gasUsed: toHex(60_000),
      effectiveGasPrice: toHex(1_000_000),
      logs,
    });
  }

  function mine(): void {
    const before = blocks.at(-1);
    const number = (before?.number ?? 999) + 1;
    const block: Block = {
      number,
      timestamp: Math.max(seconds(), (before?.timestamp ?? 0) + 1),
      hash: keccak256(toHex(`${forks}|${number}`)),
      balances: new Map(before?.balances),
      used: new Map(before?.used),
      count: before?.count ?? 0,
      transactions: [],
      receipts: new Map(),
      logs: [],
    };
    const included: Transaction[] = [];
    for (const transaction of mempool.toSorted((left, right) => (left.nonce ?? -1) - (right.nonce ?? -1))) {
      if (transaction.nonce !== undefined && transaction.nonce !== block.count) continue;
      include(block, transaction);
      included.push(transaction);
    }
    mempool = mempool.filter(
      (transaction) => !included.includes(transaction) && (transaction.nonce ?? block.count) >= block.count,
    );
    block.transactions = included;
    blocks.push(block);
  }

  function receive(raw: Hex): Hex {
    const hash = keccak256(raw);
    const { nonce = 0, to, data = '0x', maxFeePerGas = 0n } = parseTransaction(raw);
    if (nonce < head().count) throw new NodeError('nonce too low');
    const isTogether = !to && isGroup(data);
    const nonces = isTogether
      ? recordsOfGroup(data).map((record) => `0x${record.nonce}`)
      : [(decodeFunctionData({ abi: tokenAbi, data }).args as readonly unknown[])[5] as string];
    const authorizations = nonces.map((used) => known.get(lower(used)) as TestAuthorization);
    const transaction = { hash, nonce, isGroup: isTogether, authorizations, maxFeePerGas };
    if (!broadcastAt.has(hash)) broadcastAt.set(hash, now());
    if (mempool.some((waiting) => waiting.hash === hash)) throw new NodeError('already known');
    mempool = mempool.filter((waiting) => waiting.nonce !== nonce);
    mempool.push(transaction);
    return hash;
  }

  /** The state that a call sees: the named block, or the newest one of a node that lags. @throws {NodeError} */
  function viewOf(tag: unknown, lag: number): Block {
    const last = Math.max(0, blocks.length - 1 - lag);
    const newest = blocks[last] as Block;
    if (tag === 'latest' || tag === undefined) return newest;
    if (tag === 'pending') return { ...newest, timestamp: Math.max(newest.timestamp, seconds()) };
    const found = blocks.slice(0, last + 1).find(({ number }) => number === Number(tag));
    if (!found) throw new NodeError('header not found');
    return found;
  }

  function trialOf(block: Block, data: Hex): Hex {
    const state = { balances: new Map(block.balances), used: new Map(block.used) };
    const results = recordsOfGroup(data).map(({ nonce }) => {
      let returned: Hex = '0x';
      let success = 1;
      try {
        execute(state, block.timestamp, known.get(lower(`0x${nonce}`)) as TestAuthorization);
      } catch (error) {
        if (!(error instanceof Revert)) throw error;
        success = 0;
        returned = revertData(error.message);
      }
      const size = Math.min((returned.length - 2) / 2, 160);
      const facts = [success, 60_000, 0, size].map((value) => word(value).slice(2)).join('');
      return facts + returned.slice(2, 2 + 2 * size).padEnd(320, '0');
    });
    return `0x${results.join('')}`;
  }

  const revertData = (message: string): Hex =>
    `0x08c379a0${encodeAbiParameters(errorStringAbi[0].inputs, [message]).slice(2)}`;

  function callToken(block: Block, data: Hex): Hex {
    const { functionName, args } = decodeFunctionData({ abi: tokenAbi, data });
    if (functionName === 'DOMAIN_SEPARATOR') return separator;
    if (functionName === 'balanceOf') return word(block.balances.get(lower(args[0])) ?? 0n);
    if (functionName === 'authorizationState') return word(block.used.has(lower(args[1])) ? 1 : 0);
    const state = { balances: new Map(block.balances), used: new Map(block.used) };
    execute(state, block.timestamp, known.get(lower(args[5])) as TestAuthorization);
    return '0x';
  }

  /** Price feed and fee oracle: one coin costs 2,000 USD, and L1 data are free. */
  function callOther(block: Block, data: Hex): Hex {
    // latestRoundData()
    if (data.startsWith('0xfeaf968c')) {
      return `0x${[1, 200_000_000_000, 0, block.timestamp, 1].map((value) => word(value).slice(2)).join('')}`;
    }
    // decimals()
    if (data.startsWith('0x313ce567')) return word(8);
    // getCurrentBlockTimestamp()
    if (data.startsWith('0x0f28c97d')) return word(block.timestamp);
    return word(0);
  }

  function call(block: Block, { to, data }: { to?: Address; data: Hex }): Hex {
    if (!to) return trialOf(block, data);
    if (lower(to) === lower(asset)) return callToken(block, data);
    if (lower(to) !== lower(options.multicall)) return callOther(block, data);
    if (!data.startsWith('0x82ad56cb')) return callOther(block, data);
    const [calls] = decodeFunctionData({ abi: multicallAbi, data }).args;
    const result = calls.map(({ target, callData }) => {
      const returnData = lower(target) === lower(asset) ? callToken(block, callData) : callOther(block, callData);
      return { success: true, returnData };
    });
    return encodeFunctionResult({ abi: multicallAbi, functionName: 'aggregate3', result });
  }

  function findLogs(filter: { fromBlock: Hex; toBlock: Hex; topics: [Hex[], Hex, Hex] }, lag: number): object[] {
    const last = viewOf('latest', lag);
    const [kinds, payer, nonce] = filter.topics;
    return blocks
      .filter(
        ({ number }) => number >= Number(filter.fromBlock) && number <= Number(filter.toBlock) && number <= last.number,
      )
      .flatMap(({ logs }) => logs)
      .filter(
        ({ topics }) =>
          kinds.includes(topics[0] as Hex) &&
          lower(topics[1] ?? '') === lower(payer) &&
          lower(topics[2] ?? '') === lower(nonce),
      );
  }

  function findReceipt(hash: Hex, lag: number): object | null {
    const last = viewOf('latest', lag).number;
    const found = blocks.find(({ receipts, number }) => number <= last && receipts.has(hash));
    return found?.receipts.get(hash) ?? null;
  }

  function answer({ method, params }: RpcCall, lag: number): unknown {
    const [first, second] = params as [never, unknown];
    switch (method) {
      case 'eth_chainId':
        return toHex(chainId);
      case 'eth_blockNumber':
        return toHex(viewOf('latest', lag).number);
      case 'eth_getBlockByNumber': {
        const { number, timestamp, hash } = viewOf(first, lag);
        return { number: toHex(number), timestamp: toHex(timestamp), hash, baseFeePerGas: toHex(1_000_000) };
      }
      case 'eth_maxPriorityFeePerGas':
        return toHex(1_000_000);
      case 'eth_getBalance':
        return toHex(10n ** 18n);
      case 'eth_getCode':
        return '0x';
      case 'eth_call':
        return call(viewOf(second, lag), first);
      case 'eth_estimateGas':
        call(viewOf(second, lag), first);
        return toHex(90_000);
      case 'eth_getTransactionCount': {
        const { count } = viewOf(second === 'pending' ? 'latest' : second, lag);
        if (second !== 'pending') return toHex(count);
        let next = count;
        while (mempool.some(({ nonce }) => nonce === next)) next += 1;
        return toHex(next);
      }
      case 'eth_getTransactionReceipt':
        return findReceipt(first, lag);
      case 'eth_getLogs':
        return findLogs(first, lag);
      case 'eth_sendRawTransaction':
        return receive(first);
      default:
        throw new NodeError(`the method ${method} does not exist`);
    }
  }

  function reply(request: RpcCall, lag: number): RpcReply {
    try {
      return { result: answer(request, lag) };
    } catch (error) {
      if (error instanceof Revert) {
        return { error: { code: 3, message: `execution reverted: ${error.message}`, data: revertData(error.message) } };
      }
      if (!(error instanceof NodeError)) throw error;
      return { error: { code: error.message.startsWith('the method') ? -32601 : -32000, message: error.message } };
    }
  }

  const foreign = (change: Omit<Transaction, 'hash' | 'nonce' | 'isGroup'>): Transaction => {
    forks += 1;
    return { hash: keccak256(toHex(`foreign ${forks}`)), nonce: undefined, isGroup: false, ...change };
  };

  return {
    /** Makes an authorization known to the token, which does not verify signatures. */
    register: (signed: TestAuthorization) => known.set(lower(signed.nonce), signed),
    head: () => head().number,
    mine,
    /** Mines a block without the transactions of the mempool. */
    mineEmpty(): void {
      const waiting = mempool;
      mempool = [];
      mine();
      mempool = waiting;
    },
    /** Replaces the newest blocks. Their transactions return to the mempool, or are dropped. */
    reorganise(depth: number, keep: boolean): void {
      const dropped = blocks.splice(Math.max(1, blocks.length - depth));
      forks += 1;
      if (keep) mempool = [...dropped.flatMap(({ transactions }) => transactions), ...mempool];
    },
    dropMempool(): void {
      mempool = mempool.filter(({ nonce }) => nonce === undefined);
    },
    /** Another service with the facilitator's key uses the next nonce. */
    stealNonce(): void {
      mempool = mempool.filter(({ nonce }) => nonce !== head().count);
      mempool.push({ ...foreign({ authorizations: [] }), nonce: head().count });
    },
    give(to: Address, units: bigint): void {
      mempool.push(
        foreign({
          authorizations: [],
          apply: (balances) => balances.set(lower(to), (balances.get(lower(to)) ?? 0n) + units),
        }),
      );
    },
    withdraw(from: Address): void {
      mempool.push(foreign({ authorizations: [], apply: (balances) => balances.set(lower(from), 0n) }));
    },
    useByThirdParty(signed: TestAuthorization): void {
      const transaction = foreign({ authorizations: [signed] });
      mempool.push(transaction);
    },
    cancel({ nonce }: TestAuthorization): void {
      mempool.push(
        foreign({
          authorizations: [],
          apply: (_, used) => {
            if (!used.has(lower(nonce))) used.set(lower(nonce), 'cancelled');
          },
        }),
      );
    },
    balanceOf: (address: Address): bigint => head().balances.get(lower(address)) ?? 0n,
    useOf: ({ nonce }: TestAuthorization): 'paid' | 'cancelled' | undefined => head().used.get(lower(nonce)),
    /** The transaction that used the authorization; `broadcastAt` is undefined if a third party sent it. */
    findUse({ nonce }: TestAuthorization): { block: number; broadcastAt: number | undefined } | undefined {
      const block = blocks.find(({ logs }) => logs.some(({ topics }) => lower(topics[2] ?? '') === lower(nonce)));
      const log = block?.logs.find(({ topics }) => lower(topics[2] ?? '') === lower(nonce));
      return block && log && { block: block.number, broadcastAt: broadcastAt.get(log.transactionHash) };
    },
    /** A node of this chain, whose requests meet the drawn weather. */
    endpoint(draw: () => Weather, sleep: (ms: number) => Promise<unknown>): RpcEndpoint {
      return {
        label: 'test node',
        async send(calls) {
          const { lagOf, loss, delayMs } = draw();
          if (loss === 'request') throw new RpcTransportError('The request was lost.');
          const replies = calls.map((item) => reply(item, lagOf(item)));
          if (delayMs > 0) await sleep(delayMs);
          if (loss === 'reply') throw new RpcTransportError('The reply was lost.');
          return replies;
        },
      };
    },
    cancelledTopic,
  };
}

export type EvmChain = ReturnType<typeof createEvmChain>;

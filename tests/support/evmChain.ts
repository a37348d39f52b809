import {
  type Address,
  decodeFunctionData,
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

/** A signed authorization that the chain can execute. */
export interface TestAuthorization {
  from: Address;
  to: Address;
  value: bigint;
  validAfter: bigint;
  validBefore: bigint;
  nonce: Hex;
}

type Use = 'paid' | 'cancelled';

interface Transaction {
  hash: Hex;
  /** Nonce of the facilitator's account; undefined for a transaction of another account. */
  nonce: number | undefined;
  isGroup: boolean;
  authorizations: readonly TestAuthorization[];
  /** Another effect on the balances, such as a withdrawal by the payer. */
  apply?: (state: State) => void;
}

export interface State {
  balances: Map<string, bigint>;
  used: Map<string, Use>;
}

export interface Block extends State {
  number: number;
  timestamp: number;
  hash: Hex;
  count: number;
  transactions: readonly Transaction[];
  receipts: Map<Hex, object>;
  /** The block's logs of the token. */
  logs: { topics: readonly Hex[]; data: Hex; transactionHash: Hex; logIndex: Hex; address: Address }[];
}

export const tokenAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function isBlacklisted(address) view returns (bool)',
  'function paused() view returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
]);
const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');
export const word = (value: bigint | number): Hex => numberToHex(value, { size: 32 });
export const lower = (text: string): string => text.toLowerCase();

/** The token rejects a transfer. */
export class Revert extends Error {}
/** The node rejects a call. */
export class NodeError extends Error {}

/** The rules of USDC's `transferWithAuthorization`, in its order. @throws {Revert} */
export function execute({ balances, used }: State, timestamp: number, signed: TestAuthorization): void {
  if (BigInt(timestamp) <= signed.validAfter) throw new Revert('FiatTokenV2: authorization is not yet valid');
  if (BigInt(timestamp) >= signed.validBefore) throw new Revert('FiatTokenV2: authorization is expired');
  if (used.has(lower(signed.nonce))) throw new Revert('FiatTokenV2: authorization is used or canceled');
  const balance = balances.get(lower(signed.from)) ?? 0n;
  if (balance < signed.value) throw new Revert('ERC20: transfer amount exceeds balance');
  balances.set(lower(signed.from), balance - signed.value);
  balances.set(lower(signed.to), (balances.get(lower(signed.to)) ?? 0n) + signed.value);
  used.set(lower(signed.nonce), 'paid');
}

export interface ChainOptions {
  chainId: number;
  asset: Address;
  multicall: Address;
  separator: Hex;
  now(): number;
}

/**
 * A chain with one token, in memory: blocks, a mempool and reorganisations. Only the facilitator's own transactions are
 * decoded; others are added by the test. The token does not verify signatures.
 */
export class EvmChain {
  readonly known = new Map<string, TestAuthorization>();
  blocks: Block[] = [];
  mempool: Transaction[] = [];
  /** When each transaction was broadcast first. */
  readonly #broadcastAt = new Map<Hex, number>();
  #forks = 0;

  constructor(readonly options: ChainOptions) {}

  get newest(): Block {
    return this.blocks.at(-1) as Block;
  }

  seconds(): number {
    return Math.floor(this.options.now() / 1_000);
  }

  /** Makes an authorization known to the token. */
  register(signed: TestAuthorization): void {
    this.known.set(lower(signed.nonce), signed);
  }

  #include(block: Block, transaction: Transaction): void {
    const { hash, authorizations, isGroup: isInGroup } = transaction;
    const logs: Block['logs'] = [];
    const emit = (topics: readonly Hex[], data: Hex): void => {
      const logIndex = toHex(block.logs.length + logs.length);
      logs.push({ topics, data, transactionHash: hash, address: this.options.asset, logIndex });
    };
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
    transaction.apply?.(block);
    if (transaction.nonce !== undefined) block.count += 1;
    block.logs.push(...logs);
    const status = failed ? '0x0' : '0x1';
    const gas = { gasUsed: toHex(60_000), effectiveGasPrice: toHex(1_000_000) };
    block.receipts.set(hash, { status, transactionHash: hash, blockNumber: toHex(block.number), ...gas, logs });
  }

  mine(): void {
    const before = this.blocks.at(-1);
    const number = (before?.number ?? 999) + 1;
    const block: Block = {
      number,
      timestamp: Math.max(this.seconds(), (before?.timestamp ?? 0) + 1),
      hash: keccak256(toHex(`${this.#forks}|${number}`)),
      balances: new Map(before?.balances),
      used: new Map(before?.used),
      count: before?.count ?? 0,
      transactions: [],
      receipts: new Map(),
      logs: [],
    };
    const included: Transaction[] = [];
    for (const transaction of this.mempool.toSorted((left, right) => (left.nonce ?? -1) - (right.nonce ?? -1))) {
      if (transaction.nonce !== undefined && transaction.nonce !== block.count) continue;
      this.#include(block, transaction);
      included.push(transaction);
    }
    this.mempool = this.mempool.filter(
      (transaction) => !included.includes(transaction) && (transaction.nonce ?? block.count) >= block.count,
    );
    block.transactions = included;
    this.blocks.push(block);
  }

  /** Mines a block without the transactions of the mempool. */
  mineEmpty(): void {
    const waiting = this.mempool;
    this.mempool = [];
    this.mine();
    this.mempool = waiting;
  }

  /** Accepts a transaction of the facilitator. @throws {NodeError} */
  receive(raw: Hex): Hex {
    const hash = keccak256(raw);
    const { nonce = 0, to, data = '0x' } = parseTransaction(raw);
    if (nonce < this.newest.count) throw new NodeError('nonce too low');
    const isTogether = !to && isGroup(data);
    const nonces = isTogether
      ? recordsOfGroup(data).map((record) => `0x${record.nonce}`)
      : [(decodeFunctionData({ abi: tokenAbi, data }).args as readonly unknown[])[5] as string];
    const authorizations = nonces.map((used) => this.known.get(lower(used)) as TestAuthorization);
    if (!this.#broadcastAt.has(hash)) this.#broadcastAt.set(hash, this.options.now());
    if (this.mempool.some((waiting) => waiting.hash === hash)) throw new NodeError('already known');
    this.mempool = this.mempool.filter((waiting) => waiting.nonce !== nonce);
    this.mempool.push({ hash, nonce, isGroup: isTogether, authorizations });
    return hash;
  }

  /** Replaces the newest blocks. Their transactions return to the mempool, or are dropped. */
  reorganise(depth: number, keep: boolean): void {
    const dropped = this.blocks.splice(Math.max(1, this.blocks.length - depth));
    this.#forks += 1;
    if (keep) this.mempool = [...dropped.flatMap(({ transactions }) => transactions), ...this.mempool];
  }

  dropMempool(): void {
    this.mempool = this.mempool.filter(({ nonce }) => nonce === undefined);
  }

  /** Adds a transaction of another account to the mempool. */
  #add(change: Partial<Transaction>): void {
    this.#forks += 1;
    const hash = keccak256(toHex(`foreign ${this.#forks}`));
    this.mempool.push({ hash, nonce: undefined, isGroup: false, authorizations: [], ...change });
  }

  /** Another service with the facilitator's key uses the next nonce. */
  stealNonce(): void {
    const { count } = this.newest;
    this.mempool = this.mempool.filter(({ nonce }) => nonce !== count);
    this.#add({ nonce: count });
  }

  give(to: Address, units: bigint): void {
    this.#add({ apply: ({ balances }) => balances.set(lower(to), (balances.get(lower(to)) ?? 0n) + units) });
  }

  withdraw(from: Address): void {
    this.#add({ apply: ({ balances }) => balances.set(lower(from), 0n) });
  }

  useByThirdParty(signed: TestAuthorization): void {
    this.#add({ authorizations: [signed] });
  }

  cancel({ nonce }: TestAuthorization): void {
    this.#add({
      apply({ used }) {
        if (!used.has(lower(nonce))) used.set(lower(nonce), 'cancelled');
      },
    });
  }

  balanceOf(address: Address): bigint {
    return this.newest.balances.get(lower(address)) ?? 0n;
  }

  useOf({ nonce }: TestAuthorization): Use | undefined {
    return this.newest.used.get(lower(nonce));
  }

  /** The transaction that used the authorization; `broadcastAt` is undefined if a third party sent it. */
  findUse({ nonce }: TestAuthorization): { block: number; broadcastAt: number | undefined } | undefined {
    const isUse = ({ topics }: Block['logs'][number]): boolean => lower(topics[2] ?? '') === lower(nonce);
    const block = this.blocks.find(({ logs }) => logs.some(isUse));
    const log = block?.logs.find(isUse);
    return block && log && { block: block.number, broadcastAt: this.#broadcastAt.get(log.transactionHash) };
  }
}

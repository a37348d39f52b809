import { type Address, bytesToHex, type Hex, numberToHex } from 'viem';
import type { LowerAddress } from '../lowerAddress.ts';
import { deployments } from '../venues/deployments/deployments.ts';
import type { ChainName } from './chains.ts';
import type { DeploymentMemory } from './deploymentMemory.ts';
import { l1PriceCall, mostGasOnArbitrum, toL1Price } from './gasOfCalls.ts';
import { BlockGoneError, isOverrun, LensOverrunError, type Node, NodeRefusedError } from './node.ts';
import { unpackWords } from './packedWords.ts';
import { pinBlock, type SeenBlock, sendWithHeader } from './pinBlock.ts';
import type { RpcCall, RpcReply } from './rpcEndpoint.ts';

/** The node responds but does not execute the lens. */
export class LensRefusedError extends NodeRefusedError {
  override readonly name = 'LensRefusedError';
}

/** Compiled code of a lens. */
export interface LensCode {
  runtime: Hex;
  /** The address at which a chain may have this code. Only of lenses that never run while a token is traded (ADR 014). */
  deployedAt?: Address;
  /** `runtime` runs the first part by `delegatecall`, and each part the next one (contracts/lens/Relay.sol). */
  parts?: readonly { runtime: Hex }[];
}

/** Hosted nodes cap a call's gas at 25 to 50 million. */
export const gasOfLens = 24_000_000n;
/** Each call forwards 63/64 of its gas (EIP-150); the second part gets as much as a lens without parts. */
const gasOfParts = 24_770_000n;

/** Every lens returns at least this many words; a shorter result does not come from a lens. */
const minAnswerWords = 10;

/** Account overrides for the duration of a call. */
export type StateOverride = Record<Address, { code?: Hex; balance?: Hex; stateDiff?: Record<Hex, Hex> }>;

/** The two accounts of a call, both new for each: a token must not recognise a simulation by an address. */
export interface Parties {
  /** The address of the lens's code; for a token it is the router. */
  lens: Address;
  /** An account without code: tx.origin, the seller and the receiver. */
  trader: Address;
}

/** A contract that the call goes through. It funds accounts first (contracts/lens/Funder.sol), or unpacks the call. */
export interface FundingCall {
  address: Address;
  /** Its call data, around the call data of the lens. */
  wrap(query: Hex): Hex;
}

/** One call of the lens. `accounts` override the state that it reads. */
export interface LensRequest {
  data: Hex;
  /** A number in hex, or `latest`. */
  block: Hex | 'latest';
  accounts?: StateOverride;
  /** Its code is in `accounts`. */
  funder?: FundingCall | undefined;
  parties?: Parties;
  lens: LensCode;
  /** The chain has code for this call at `parties.lens`. `lens` is placed only if a node does not have it. */
  isDeployed?: boolean;
  /** Called if a node does not have that code, so that `lens` was placed. */
  onPlaced?: () => void;
}

/** Random bytes are drawn in advance: a lens call takes about ten small draws, and each costs as much as a large one. */
const drawn = { bytes: new Uint8Array(4096), used: 4096 };

function randomBytes(count: number): Uint8Array {
  if (drawn.used + count > drawn.bytes.length) {
    crypto.getRandomValues(drawn.bytes);
    drawn.used = 0;
  }
  drawn.used += count;
  return drawn.bytes.slice(drawn.used - count, drawn.used);
}

/** An unsigned number of this many random bytes. */
export const randomNumber = (bytes: number): bigint => BigInt(bytesToHex(randomBytes(bytes)));

export const randomAddress = (): LowerAddress => bytesToHex(randomBytes(20)) as LowerAddress;

export const newParties = (): Parties => ({ lens: randomAddress(), trader: randomAddress() });

/**
 * The call for a batch that the caller sends. Requires the node's base fee (`ensureBaseFee`).
 * @param hasLenses the chain has the lenses with a `deployedAt`: the call contains a proxy instead of their code
 */
export function toLensCall(
  { memory, chain }: Pick<Node, 'memory' | 'chain'>,
  request: LensRequest,
  hasLenses = false,
): RpcCall {
  const { data, block, accounts, funder, parties = newParties(), lens, isDeployed } = request;
  const parts = (lens.parts ?? []).map((part) => ({ address: randomAddress(), code: toPlacedCode(part) }));
  const gas = parts.length > 0 ? gasOfParts : gasOfLens;
  const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(chain, memory.baseFee ?? 0n);
  // More than the gas costs, by a random amount: a token must not recognise the balance. On Arbitrum the call gets more gas.
  const spare = randomNumber(8);
  const override: StateOverride = {
    ...accounts,
    ...(!isDeployed && {
      [parties.lens]: { code: toPlacedCode(hasLenses && lens.deployedAt ? proxyOf(lens.deployedAt) : lens) },
    }),
    ...Object.fromEntries(parts.map(({ address, code }) => [address, { code }])),
    [parties.trader]: {
      ...accounts?.[parties.trader],
      balance: numberToHex((deployments[chain].arbSys ? mostGasOnArbitrum : 2n * gas) * maxFeePerGas + spare),
    },
  };
  const addresses = parts.map(({ address }) => address.slice(2));
  const query: Hex = `${data}${addresses.reverse().join('')}`;
  const fees = {
    gas: numberToHex(gas),
    maxFeePerGas: numberToHex(maxFeePerGas),
    maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
  };
  return {
    method: 'eth_call',
    params: [
      {
        from: parties.trader,
        to: funder?.address ?? parties.lens,
        ...fees,
        data: funder ? funder.wrap(query) : query,
      },
      block,
      override,
    ],
  };
}

/**
 * A call without a gas price would run with gas price and base fee zero. The price paid is base fee plus tip; the
 * maximum only has to stay above the base fee while it rises.
 */
function feesOf(chain: ChainName, baseFee: bigint) {
  const maxPriorityFeePerGas = deployments[chain].tipWei;
  return { maxFeePerGas: baseFee * 20n + maxPriorityFeePerGas + 1_000_000n, maxPriorityFeePerGas };
}

/** A lens's code with unreachable random bytes, so that size and hash of the code differ between calls. */
export function toPlacedCode({ runtime }: LensCode): Hex {
  const count = 16 + ((randomBytes(1)[0] ?? 0) % 48);
  return `${runtime}00${bytesToHex(randomBytes(count)).slice(2)}`;
}

/** A minimal proxy (ERC-1167). It keeps the lens's address, caller, transient storage and answer; it has 45 bytes. */
const proxyOf = (address: Address): LensCode => ({
  runtime: `0x363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`,
});

/**
 * Reads the node's base fee, and on Arbitrum the price of data on Ethereum, if they are not known. Lens calls need a gas
 * price above the one and gas for the other.
 * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
 */
export async function ensureBaseFee(node: Node): Promise<void> {
  const { memory, chain } = node;
  const needsL1Price = deployments[chain].arbSys && memory.l1PricePerUnit === undefined;
  if (memory.baseFee !== undefined && !needsL1Price) return;
  const { replies } = await sendWithHeader(node, 'latest', needsL1Price ? [l1PriceCall] : []);
  if (needsL1Price) memory.l1PricePerUnit = toL1Price(replies[0]);
}

/**
 * Calls the lens and records on the node that it runs there.
 * @param deployment the state of the deployed lenses on the chain; by default, each call contains the code
 */
export function createLensCaller(deployment?: Pick<DeploymentMemory, 'isUsableAt' | 'sawMissing'>) {
  async function readLenses(
    node: Node,
    requests: readonly LensRequest[],
    { mayRetry = true, mayOmitCode = true } = {},
  ): Promise<Hex[]> {
    const { memory } = node;
    const block = requests[0]?.block ?? 'latest';
    await ensureBaseFee(node);
    const sentMaxFee = feesOf(node.chain, memory.baseFee ?? 0n).maxFeePerGas;
    const hasLenses = mayOmitCode && deployment?.isUsableAt(node);
    const calls = requests.map((request) => toLensCall(node, request, hasLenses));
    const { header, replies } = await sendWithHeader(node, block, calls);
    const omits = ({ lens, isDeployed }: LensRequest) => isDeployed || (hasLenses && lens.deployedAt);
    const missing = requests.filter((request, index) => omits(request) && isEmpty(replies[index]));
    if (missing.length > 0) {
      // The block is before the deployment or of another fork, the node lags, or a wrong `eth_getCode` result was read.
      const placed = requests.map((request) =>
        missing.includes(request) ? { ...request, isDeployed: false } : request,
      );
      const result = await readLenses(node, placed, { mayRetry, mayOmitCode: false });
      for (const { isDeployed, onPlaced } of missing) {
        if (isDeployed) onPlaced?.();
        else deployment?.sawMissing(node);
      }
      return result;
    }
    const answers = replies.flatMap((reply) => answerOf(reply) ?? []);
    if (answers.length === requests.length) {
      for (const answer of answers) await pinBlock(node, header, blockOf(answer), block);
      memory.readMode = 'override';
      return answers;
    }
    // The base fee rose beyond the maximum since the last header.
    if (mayRetry && (memory.baseFee ?? 0n) > sentMaxFee)
      return readLenses(node, requests, { mayRetry: false, mayOmitCode });
    const refused = replies.find((reply) => answerOf(reply) === undefined);
    if (mayRetry && deployments[node.chain].arbSys && lacksGas(refused)) {
      // The price of data on Ethereum may have risen.
      memory.l1PricePerUnit = undefined;
      return readLenses(node, requests, { mayRetry: false, mayOmitCode });
    }
    judgeRefusal(node, refused, block, memory.readMode === 'override');
    const cause = refused && 'error' in refused ? `${refused.error.code} ${refused.error.message}` : 'no answer';
    throw new LensRefusedError(`The node did not run the lens: ${cause}.`);
  }

  return {
    /**
     * Sends one or more lens calls in one batch to one node at one block, and returns their answers. The lens never
     * reverts, so an error in its reply is the node's. The block is verified and pinned on the node.
     * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
     */
    readLenses: (node: Node, requests: readonly LensRequest[]) => readLenses(node, requests),
    /** The call for a batch that the caller sends. Requires the node's base fee (`ensureBaseFee`). */
    toCall: (node: Node, request: LensRequest) => toLensCall(node, request, deployment?.isUsableAt(node)),
    /**
     * The self-test: finds out whether the node runs lenses.
     * @throws {WrongChainError | NodeRefusedError | RpcTransportError}
     */
    async test(node: Node, lens: Pick<LensRequest, 'lens' | 'data'>): Promise<void> {
      await readLenses(node, [{ ...lens, block: 'latest' }]);
    },
  };
}

export type LensCaller = ReturnType<typeof createLensCaller>;

const isEmpty = (reply?: RpcReply): boolean => reply !== undefined && 'result' in reply && reply.result === '0x';

const lacksGas = (reply: RpcReply | undefined): boolean =>
  reply !== undefined && 'error' in reply && /intrinsic gas|out of gas/i.test(reply.error.message);

const blockMissing =
  /header not found|unknown block|missing trie node|block not found|pruned|historical state|state.*not available/i;
const tooMany = /rate.?limit|too many requests|quota|capacity|compute units/i;

/**
 * Throws if the lens ran out of gas, the block is gone, the node limits requests or returns null: none shows whether lenses
 * run there.
 */
function judgeRefusal(node: Node, refused: RpcReply | undefined, block: Hex | 'latest', runsLens: boolean): void {
  if (!refused) return;
  if (!('error' in refused)) {
    // A node that refuses state overrides returns an error. Without this rule, checks would be refused for ten minutes.
    if (refused.result === null) throw new NodeRefusedError(`${node.label} returned null for eth_call.`);
    return;
  }
  const { code, message } = refused.error;
  if (runsLens && isOverrun(message)) throw new LensOverrunError(`${node.label} did not finish the lens: ${message}`);
  if (blockMissing.test(message) || (block !== 'latest' && runsLens)) {
    throw new BlockGoneError(`${node.label} could not read block ${block}: ${code} ${message}`);
  }
  if (code === 429 || code === -32005 || tooMany.test(message)) {
    throw new NodeRefusedError(`${node.label} limits requests: ${code} ${message}`);
  }
}

/** The words of an answer; undefined if a lens cannot have returned it. */
export function answerOf(reply: RpcReply): Hex | undefined {
  if (!('result' in reply) || typeof reply.result !== 'string') return undefined;
  const words = /^0x[0-9a-f]*$/i.test(reply.result) ? unpackWords(reply.result as Hex) : undefined;
  return words && words.length >= 2 + 64 * minAnswerWords ? words : undefined;
}

/** Words 2, 3 and 4 of the lens's answer; see `_write` in PlanProbes.sol and `_writeBlock` in ExitSales.sol. */
function blockOf(answer: Hex): SeenBlock {
  const word = (index: number): Hex => `0x${answer.slice(2 + 64 * index, 2 + 64 * (index + 1))}`;
  const parentHash = word(4);
  return {
    number: BigInt(word(2)),
    timestamp: BigInt(word(3)),
    parentHash: BigInt(parentHash) === 0n ? undefined : parentHash,
  };
}

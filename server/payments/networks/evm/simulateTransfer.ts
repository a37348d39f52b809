import { type Address, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import { type Chain, JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { BlockInterval } from './blockInterval.ts';
import type { Fees } from './fees.ts';
import { bytes, quantity } from './nodeAnswers.ts';
import { refusalOfNodeError, type TransferRefusal } from './revertReason.ts';
import { usdcAbi } from './usdcAbi.ts';

/** Maximum gas of an estimate. An EOA's transfer uses about 100,000; `findGasFault` limits contract wallets further. */
const gasCap = 400_000n;
/** Intrinsic gas of a transaction. */
const leastGas = 21_000n;
/** Higher, because Arbitrum charges L1 data as gas, at L1's price. */
const arbitrumGasCap = 3_000_000n;
const arbitrum = 42161;
/** For Arbitrum, where the price of L1 data changes, and for contract wallets, whose code may take another path. */
const withMargin = (estimate: bigint): bigint => (estimate * 5n) / 4n;
/** Small, because an EOA that delegates to code after the simulation (EIP-7702) can burn the whole limit at our cost. */
const withSmallMargin = (estimate: bigint): bigint => (estimate * 11n) / 10n;

/** The chain and the sending account of a simulation. */
export interface TransferNode {
  chain: Pick<Chain, 'callAllVerified'>;
  chainId: number;
  account: Address;
  asset: Address;
  interval: BlockInterval;
}

/** Served chains have a block every few seconds or faster. Only a local chain that mines on demand has an older head. */
const oldHeadSeconds = 60;

/**
 * The block tag of a simulation, always explicit because nodes have different defaults. `latest`, so that a contract sees
 * a block number other than that of the including block. With an old head, `pending`: the timestamp of `latest` would
 * reject valid authorizations.
 */
export const headTag = (headTimestamp: bigint): 'latest' | 'pending' =>
  Date.now() / 1000 - Number(headTimestamp) > oldHeadSeconds ? 'pending' : 'latest';

/** Computes the selector once: its hash would take most of the encoding's time, twice for each payment. */
const transfer = prepareEncodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization' });

/** Call data of `transferWithAuthorization`. */
export function transferData(payment: SignedAuthorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce, signature } = payment;
  return encodeFunctionData({
    ...transfer,
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  });
}

/** A transfer that would succeed now. */
export interface SimulatedTransfer {
  /** The gas limit of the transaction. */
  gas: bigint;
  /** The part of `gas` that pays for L1 data on Arbitrum; 0 on other chains. */
  l1Gas: bigint;
  /** The payer has code, which USDC calls: a contract wallet, or an EOA that delegates to code (EIP-7702). */
  isContract: boolean;
  /** Number of the simulated block. */
  head: bigint;
}

/**
 * Simulates the transfer at the head of the chain. Returns its gas, or a refusal if the token rejects it.
 *
 * Because of the gas price, the estimate also fails if our own account lacks the native coin; that throws.
 *
 * @throws {ChainUnreachableError} @throws {JsonRpcError} the simulation has no result.
 */
export async function simulateTransfer(
  { chain, chainId, account, asset }: TransferNode,
  payment: SignedAuthorization,
  { maxFeePerGas, maxPriorityFeePerGas, timestamp }: Fees,
): Promise<SimulatedTransfer | TransferRefusal> {
  const cap = chainId === arbitrum ? arbitrumGasCap : gasCap;
  const transaction = {
    from: account,
    to: asset,
    data: transferData(payment),
    gas: toQuantity(cap),
    maxFeePerGas: toQuantity(maxFeePerGas),
    maxPriorityFeePerGas: toQuantity(maxPriorityFeePerGas),
  };
  try {
    const sensible = quantity.refine((gas) => gas >= leastGas && gas <= cap);
    const tag = headTag(timestamp);
    const code = ['eth_getCode', [payment.from, 'latest'], bytes] as const;
    const height = ['eth_blockNumber', [], quantity] as const;
    const estimateOf = (candidate: object) => ['eth_estimateGas', [candidate, tag], sensible] as const;
    if (chainId !== arbitrum) {
      const [estimate, found, head] = await chain.callAllVerified(estimateOf(transaction), code, height);
      const isContract = found !== '0x';
      return { gas: isContract ? withMargin(estimate) : withSmallMargin(estimate), l1Gas: 0n, isContract, head };
    }
    // A transaction with the same data to our own account executes no code.
    const idle = { ...transaction, to: account };
    const [estimate, found, head, idleGas] = await chain.callAllVerified(
      estimateOf(transaction),
      code,
      height,
      estimateOf(idle),
    );
    return { gas: withMargin(estimate), l1Gas: idleGas - leastGas, isContract: found !== '0x', head };
  } catch (error) {
    const refusal = error instanceof JsonRpcError ? refusalOfNodeError(error) : undefined;
    if (!refusal) throw error;
    return refusal;
  }
}

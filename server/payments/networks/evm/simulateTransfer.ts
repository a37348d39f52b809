import { type Address, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import { type Chain, JsonRpcError, toQuantity } from '../../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import type { Fees } from './fees.ts';
import { bytes, quantity } from './nodeAnswers.ts';
import { refusalOfNodeError, type TransferRefusal } from './revertReason.ts';
import { usdcAbi } from './usdcAbi.ts';

/** A plain transfer takes about 100,000. More is refused here, before a contract wallet's own limit is known. */
const gasCap = 400_000n;
/** What every transaction takes. */
const leastGas = 21_000n;
/** Arbitrum counts the way to L1 as gas, so its limit moves with L1's price. */
const arbitrumGasCap = 3_000_000n;
const arbitrum = 42161;
/** On Arbitrum the price of L1 data changes, and in a contract wallet the code that runs. */
const withMargin = (estimate: bigint): bigint => (estimate * 5n) / 4n;
/** A key that delegates to code after the simulation (EIP-7702) burns the whole limit, which must cost it more than us. */
const withSmallMargin = (estimate: bigint): bigint => (estimate * 11n) / 10n;

/** Where a transfer is simulated, and by which account. */
export interface TransferNode {
  chain: Pick<Chain, 'callAllVerified'>;
  chainId: number;
  account: Address;
  asset: Address;
}

/** A served chain makes a block every two seconds or faster; a local one that mines on demand may have an old head. */
const oldHeadSeconds = 60;

/**
 * The block to simulate at, always named: without a tag, nodes differ. It is `latest`, whose number a contract cannot
 * mistake for the block that will hold the transaction. On an old head that block's clock would reject valid signatures.
 */
export const headTag = (headTimestamp: bigint): 'latest' | 'pending' =>
  Date.now() / 1000 - Number(headTimestamp) > oldHeadSeconds ? 'pending' : 'latest';

/** The selector is worked out once: its hash would be most of what encoding costs, twice a payment. */
const transfer = prepareEncodeFunctionData({ abi: usdcAbi, functionName: 'transferWithAuthorization' });

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
  /** The part of `gas` that pays for L1 data, which Arbitrum counts as gas. */
  l1Gas: bigint;
  /** The payer has code: a contract wallet, or a key that delegates to one (EIP-7702). USDC asks that code. */
  isContract: boolean;
  /** The block it was simulated at. */
  head: bigint;
}

/**
 * Simulates the transfer at the head of the chain: returns its gas, or why the token rejects it.
 *
 * With a gas price the estimate also fails when our own account lacks the native coin; that is no refusal of the payment.
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
    const estimateOf = (tried: object) => ['eth_estimateGas', [tried, tag], sensible] as const;
    if (chainId !== arbitrum) {
      const [estimate, found, head] = await chain.callAllVerified(estimateOf(transaction), code, height);
      const isContract = found !== '0x';
      return { gas: isContract ? withMargin(estimate) : withSmallMargin(estimate), l1Gas: 0n, isContract, head };
    }
    // To our own account the same data executes nothing.
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

import { type Address, encodeFunctionData, type Hex, prepareEncodeFunctionData } from 'viem';
import { type ChainCall, NodeRefusalError, toQuantity } from '../chainCall.ts';
import type { SignedAuthorization } from './authorization.ts';
import { quantity } from './nodeAnswers.ts';
import { type TransferRefusal, transferRefusal } from './revertReason.ts';
import type { Fees } from './transactionSender.ts';
import { usdcAbi } from './usdcAbi.ts';

/** A plain transfer takes about 100 000; the rest is what a contract wallet may spend on its own check. */
const gasCap = 400_000n;
/** What every transaction takes. */
const leastGas = 21_000n;
/** Arbitrum counts the way to L1 as gas, so its limit moves with L1's price. */
const arbitrumGasCap = 3_000_000n;

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

/**
 * Tries the transfer at the head of the chain, without sending it: the gas it needs, or why the token refuses.
 *
 * With a price in it, the estimate also fails when our own account cannot pay; that is no word about the payment.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} when there is no verdict on the payment.
 */
export async function simulateTransfer(
  { call, chainId, account, asset }: { call: ChainCall; chainId: number; account: Address; asset: Address },
  payment: SignedAuthorization,
  { maxFeePerGas, maxPriorityFeePerGas, timestamp }: Fees,
): Promise<{ gas: bigint } | TransferRefusal> {
  const cap = chainId === 42161 ? arbitrumGasCap : gasCap;
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
    const estimate = await call('eth_estimateGas', [transaction, headTag(timestamp)], sensible);
    return { gas: (estimate * 5n) / 4n };
  } catch (error) {
    const refusal = error instanceof NodeRefusalError ? transferRefusal(error) : undefined;
    if (!refusal) throw error;
    return refusal;
  }
}

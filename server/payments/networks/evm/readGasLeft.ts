import type { Address } from 'viem';
import { type ChainCall, ChainUnreachableError } from '../../chainCall.ts';
import { quantity } from './nodeAnswers.ts';
import type { createCostReader } from './settlementCost.ts';
import type { TransactionSender } from './transactionSender.ts';

/** Gas of one settlement, rounded up. */
const gasOfTransfer = 120_000n;
/** Length of the call data of a transfer that is signed by an EOA. */
const usualDataBytes = 356;

/** The number of settlements that our account can still pay for. @throws {ChainUnreachableError} @throws {JsonRpcError} */
export async function readGasLeft(
  call: ChainCall,
  account: Address,
  sender: Pick<TransactionSender, 'readFees'>,
  costs: ReturnType<typeof createCostReader>,
): Promise<bigint> {
  const [balance, { maxFeePerGas }, cost] = await Promise.all([
    call('eth_getBalance', [account, 'latest'], quantity),
    sender.readFees(),
    costs.read(usualDataBytes),
  ]);
  if (cost.kind === 'unreadable') throw new ChainUnreachableError(`Cannot read ${cost.what}.`);
  const settlement = gasOfTransfer * maxFeePerGas + cost.l1Fee;
  return balance / (settlement > 0n ? settlement : 1n);
}

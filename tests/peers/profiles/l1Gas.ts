import { type JsonCall, type JsonReply, type ProfileRules, refusal } from './profileTypes.ts';

const arbGasInfo = '0x000000000000000000000000000000000000006c';
/** Units of data in a byte (nitro, params.TxDataNonZeroGasEIP2028). */
const unitsPerByte = 16n;
const intrinsicGas = 21_000n;

interface Transaction {
  to?: string;
  data?: string;
  gas?: string;
  maxFeePerGas?: string;
  gasPrice?: string;
  skipL1Charging?: boolean;
}

/**
 * A call as nitro executes it: its gas first pays for its data on Ethereum, unless it has no gas price. Reads of the price
 * (ArbGasInfo) are answered.
 * @param baseFee wei per gas
 */
export function chargeL1(
  call: JsonCall,
  { perByte, skips, clamp }: NonNullable<ProfileRules['l1Gas']>,
  baseFee: bigint,
): JsonCall | JsonReply {
  if (call.method !== 'eth_call') return call;
  const [first, ...rest] = call.params as [Transaction, ...unknown[]];
  if (first.to?.toLowerCase() === arbGasInfo) {
    const price = (BigInt(perByte) * baseFee) / unitsPerByte;
    return { jsonrpc: '2.0', id: call.id, result: `0x${price.toString(16).padStart(64, '0')}` };
  }
  const { skipL1Charging, ...transaction } = first;
  if (transaction.gas === undefined || (!transaction.maxFeePerGas && !transaction.gasPrice)) {
    return { ...call, params: [transaction, ...rest] };
  }
  const requested = BigInt(transaction.gas);
  const gas = clamp !== undefined && requested > BigInt(clamp) ? BigInt(clamp) : requested;
  const bytes = BigInt(((transaction.data?.length ?? 2) - 2) / 2);
  const l1Gas = skips && skipL1Charging ? 0n : bytes * BigInt(perByte);
  if (gas < l1Gas + intrinsicGas) return refusal(call, -32_000, 'intrinsic gas too low');
  return { ...call, params: [{ ...transaction, gas: `0x${(gas - l1Gas).toString(16)}` }, ...rest] };
}

import { getAddressDecoder, getBase64Encoder, getU64Decoder } from '@solana/kit';
import type { ChainCall } from '../chainCall.ts';
import { tokenProgram } from './findTransfer.ts';
import { tokenAccount } from './nodeAnswers.ts';
import type { SvmTransaction } from './svmTransaction.ts';

/** Layout of a token account of SPL Token: mint (32 bytes), owner (32), amount (u64). */
const amountOffset = 64;

/**
 * How much of the transfer's mint its source token account holds, in raw units; 0 when there is no such account.
 *
 * @throws {ChainUnreachableError} @throws {NodeRefusalError} it cannot be read.
 */
export async function readPayerBalance(
  call: ChainCall,
  { transfer }: Pick<SvmTransaction, 'transfer'>,
): Promise<bigint> {
  if (!transfer) return 0n;
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await call('getAccountInfo', [transfer.source, options], tokenAccount);
  if (value?.owner !== tokenProgram) return 0n;
  const data = getBase64Encoder().encode(value.data[0]);
  if (data.length < amountOffset + 8 || getAddressDecoder().decode(data) !== transfer.mint) return 0n;
  return getU64Decoder().decode(data, amountOffset);
}

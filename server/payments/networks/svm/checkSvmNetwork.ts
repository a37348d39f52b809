import type { Address } from '@solana/kit';
import type { ChainCall } from '../../chainCall.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { SvmNetworkConfig } from '../../paymentConfig.ts';
import { tokenProgram } from './findTransfer.ts';
import { account } from './nodeAnswers.ts';

/** Number of characters of the genesis hash in a CAIP-2 id of a Solana network. */
const referenceLength = 32;

/** The CAIP-2 id of a Solana network. */
export const networkOf = (genesisHash: string): string => `solana:${genesisHash.slice(0, referenceLength)}`;

/**
 * Compares the configuration with the network that its RPC serves.
 *
 * @param destination the token account that receives payments; a payment of scheme `exact` cannot create it
 * @throws {PaymentNetworkMismatchError} the network differs, or the token account does not exist
 * @throws {ChainUnreachableError} @throws {JsonRpcError}
 */
export async function checkSvmNetwork(
  call: ChainCall,
  readIdentities: () => Promise<(string | undefined)[]>,
  { network, payTo, asset }: SvmNetworkConfig,
  destination: Address,
): Promise<void> {
  const wrong = (await readIdentities()).find((answer) => answer !== undefined && networkOf(answer) !== network);
  if (wrong !== undefined) {
    throw new PaymentNetworkMismatchError(
      `An RPC for payments on ${network} serves ${networkOf(wrong)}. Set the URL of an RPC for ${network}.`,
    );
  }
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await call('getAccountInfo', [destination, options], account);
  if (value?.owner !== tokenProgram) {
    throw new PaymentNetworkMismatchError(
      `${payTo} has no token account for ${asset}. Create the associated token account ${destination}, then start again.`,
    );
  }
}

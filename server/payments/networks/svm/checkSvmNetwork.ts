import type { Address } from '@solana/kit';
import type { ChainCall } from '../../chainCall.ts';
import { PaymentNetworkMismatchError } from '../../networkMismatch.ts';
import type { SvmNetworkConfig } from '../../paymentConfig.ts';
import { tokenProgram } from './findTransfer.ts';
import { account } from './nodeAnswers.ts';

/** CAIP-2 names Solana's networks by so much of their genesis hash. */
const referenceLength = 32;

export const networkOf = (genesisHash: string): string => `solana:${genesisHash.slice(0, referenceLength)}`;

/**
 * Compares the configuration with the network behind its RPC.
 *
 * @param destination the token account that payments go to: scheme `exact` cannot make it on the way.
 * @throws {PaymentNetworkMismatchError} another network, or no such token account.
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
      `An RPC for payments on ${network} is of ${networkOf(wrong)}. Give it the URL of the other.`,
    );
  }
  const options = { encoding: 'base64', commitment: 'confirmed' };
  const { value } = await call('getAccountInfo', [destination, options], account);
  if (value?.owner !== tokenProgram) {
    throw new PaymentNetworkMismatchError(
      `${payTo} has no token account for ${asset} yet (${destination}). Create it before payments are taken there.`,
    );
  }
}

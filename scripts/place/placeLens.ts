import { type Account, concatHex, createPublicClient, createWalletClient, type Hex, http, keccak256 } from 'viem';
import { deploymentProxy, deploymentSalt, type LensCode, placeOf } from '../../engine/index.ts';

/** What became of one lens on one chain. */
export interface Placing {
  address: Hex;
  outcome: 'placed' | 'was there';
  /** In wei; 0 for what was there. */
  paid: bigint;
}

/** The chain lacks what the placing needs, or did something else than it should. */
export class PlacingError extends Error {
  override readonly name = 'PlacingError';
}

/**
 * Puts a lens onto a chain, at the address that follows from its code. Whoever pays for it, it is the same contract.
 * @throws {PlacingError} without the deployment proxy, or when the code is not there afterwards
 */
export async function placeLens(url: string, account: Account, lens: LensCode): Promise<Placing> {
  const reader = createPublicClient({ transport: http(url) });
  const address = placeOf(lens);
  const isThere = async () => {
    const code = await reader.getCode({ address });
    return code !== undefined && keccak256(code) === lens.runtimeHash;
  };
  if (await isThere()) return { address, outcome: 'was there', paid: 0n };
  if (!(await reader.getCode({ address: deploymentProxy })))
    throw new PlacingError(`There is no deployment proxy at ${deploymentProxy} on this chain.`);
  const wallet = createWalletClient({ account, transport: http(url) });
  const data = concatHex([deploymentSalt, lens.bytecode]);
  const hash = await wallet.sendTransaction({ to: deploymentProxy, data, chain: null });
  const { status, gasUsed, effectiveGasPrice } = await reader.waitForTransactionReceipt({ hash });
  if (status !== 'success' || !(await isThere()))
    throw new PlacingError(`Transaction ${hash} was mined, and the lens is not at ${address}.`);
  return { address, outcome: 'placed', paid: gasUsed * effectiveGasPrice };
}

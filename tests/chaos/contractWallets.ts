import { type Hex, keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { acceptsAlways } from '../payments/walletCodes.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';

/**
 * Runtime code of ERC-1271 wallets. `intermittent` accepts signatures in two of every four blocks, so that a verified
 * signature may be invalid in the block that includes it.
 */
const walletCodes = {
  alwaysValid: acceptsAlways,
  // Returns bit 1 of the block number times the magic value:
  // PUSH1 1 NUMBER PUSH1 1 SHR AND PUSH4 magic PUSH1 e0 SHL MUL PUSH0 MSTORE PUSH1 20 PUSH0 RETURN
  intermittent: '0x60014360011c16631626ba7e60e01b025f5260205ff3',
} as const satisfies Record<string, Hex>;

export type ContractWalletKind = keyof typeof walletCodes;

/** Deploys one contract wallet for each key on every EVM chain. The key signs for the wallet. */
export function deployContractWallets(
  { node, chains }: ChaosEnvironment,
  keys: readonly PrivateKeyAccount[],
  kind: ContractWalletKind,
) {
  return Promise.all(
    keys.map(async ({ address: owner, signTypedData }) => {
      const address = `0x${keccak256(owner).slice(-40)}` as const;
      for (const chain of Object.values(chains)) await node(chain, 'anvil_setCode', [address, walletCodes[kind]]);
      return { address, signTypedData };
    }),
  );
}

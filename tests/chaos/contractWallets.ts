import { type Hex, keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';

/**
 * Runtime code of ERC-1271 wallets. `yes` accepts every signature. `intermittent` accepts signatures in two of every
 * four blocks, so a signature that verifies may fail when it is mined.
 */
const walletCodes = {
  yes: '0x631626ba7e60e01b5f5260205ff3',
  intermittent: '0x60014360011c16631626ba7e60e01b025f5260205ff3',
} as const satisfies Record<string, Hex>;

export type ContractWalletKind = keyof typeof walletCodes;

/** Deploys one contract wallet per key on every EVM chain; the key signs for it. */
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

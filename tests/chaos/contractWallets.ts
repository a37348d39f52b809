import { type Hex, keccak256 } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { ChaosWorld } from './chaosWorld.ts';

/**
 * Runtime code of contract wallets (ERC-1271), which lie behind a key that signs for them. `yes` takes every signature;
 * `moody` takes them in two blocks of four: good when it is looked at, it may be none when it is mined.
 */
const walletCodes = {
  yes: '0x631626ba7e60e01b5f5260205ff3',
  moody: '0x60014360011c16631626ba7e60e01b025f5260205ff3',
} as const satisfies Record<string, Hex>;

export type ContractWalletKind = keyof typeof walletCodes;

/** Contract wallets on every EVM chain, each signing with one of the keys. */
export function placeContractWallets(
  { node, chains }: ChaosWorld,
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

import { keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { SandboxWallet } from './sandboxTypes.ts';

const abouts: Record<SandboxWallet['role'], string> = {
  demo: 'Pays for demo calls: 10,000 USDC, native currency and some of every token on each chain.',
  trader: 'Rich in every token: executes routes of any size the market can take.',
  facilitator: 'Settles payments: native currency for gas only.',
  payTo: 'Receives the payments: starts with nothing.',
  stranger: 'Has nothing at all: a signature of a wallet that cannot pay.',
};

/**
 * The sandbox's wallets. Their keys follow from their names and are public: never send anything of value to them.
 * The key of payTo is random at each start and not published, so that a payment sent there by mistake cannot be spent.
 */
export function sandboxWallets(): SandboxWallet[] {
  return (Object.keys(abouts) as SandboxWallet['role'][]).map((role) => {
    const privateKey = role === 'payTo' ? generatePrivateKey() : keccak256(toHex(`truefill sandbox wallet: ${role}`));
    return { role, about: abouts[role], privateKey, address: privateKeyToAccount(privateKey).address };
  });
}

import { keccak256, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { SandboxWallet } from './sandboxTypes.ts';

const descriptions: Record<SandboxWallet['role'], string> = {
  demo: 'Pays for demo calls: 10,000 USDC, native currency and some of every token on each chain.',
  trader: 'Has a large balance of every token, to execute routes of any size.',
  facilitator: 'Settles payments. Has only native currency, for gas.',
  payTo: 'Receives the payments. Starts without any balance.',
  stranger: 'Has no balance, so that its payments fail.',
};

/**
 * Creates the sandbox's wallets. Their keys derive from their names and are public: never send anything of value to them.
 * The key of payTo is random at each start and not published, so that a payment sent there by mistake cannot be spent.
 */
export function sandboxWallets(): SandboxWallet[] {
  return (Object.keys(descriptions) as SandboxWallet['role'][]).map((role) => {
    const privateKey = role === 'payTo' ? generatePrivateKey() : keccak256(toHex(`truefill sandbox wallet: ${role}`));
    return { role, about: descriptions[role], privateKey, address: privateKeyToAccount(privateKey).address };
  });
}
